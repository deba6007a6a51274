#include "control/runtime/runner.h"

#include <fmt/core.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "api/owners.h"
#include "api/tensorstack/tensorstack_jobs_v1beta1.h"
#include "testing/fake_server.h"
#include "testing/seeded_rng.h"
#include "testing/sim_loop.h"

namespace muster::control {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kGroupVersion = "batch.tensorstack.dev/v1beta1";
constexpr const char* kKind = "PyTorchTrainingJob";

/// A controller whose primary wants so many pods, and whose status is what the test says.
class RunnerTest : public ::testing::Test {
 protected:
  RunnerTest() {
    runner_.add({.api_version = kGroupVersion,
                 .kind = kKind,
                 .children = {watched_kind<api::Pod>()},
                 .plan = [this](const Snapshot& seen) { return plan(seen); }});
    informers_.start([this] { runner_.open(); });
    loop_.settle();
  }

  static std::string job_path(const std::string& name, const std::string& ns = "team") {
    return fmt::format("/apis/{}/namespaces/{}/pytorchtrainingjobs/{}", kGroupVersion, ns, name);
  }
  static std::string pods_path(const std::string& ns = "team") { return "/api/v1/namespaces/" + ns + "/pods"; }

  void put_job(const std::string& name, const std::string& ns = "team", std::int64_t generation = 1) {
    json::Document job = cli::make_object(kGroupVersion, kKind, name);
    job["metadata"]["namespace"] = ns;
    job["metadata"]["uid"] = "uid-" + ns + "-" + name;
    job["metadata"]["generation"] = generation;
    server_.put(job_path(name, ns), std::move(job));
    loop_.settle();
  }
  void touch_job(const std::string& name) {
    json::Document job = *server_.find(job_path(name));
    job["metadata"]["annotations"]["touched"] = std::to_string(++touched_);
    server_.put(job_path(name), std::move(job));
    loop_.settle();
  }

  Plan plan(const Snapshot& seen) {
    ++plans_;
    const std::string& name = seen.primary.string_at("metadata", "name");
    Plan result;
    if (seen.refused != nullptr) told_.push_back(seen.refused->reason);
    if (!status_.empty()) result.status = json::Object{{"phase", status_}};
    const auto pods = seen.children.of<api::Pod>();
    for (int i = 0; i < wanted_; ++i) {
      const std::string pod = fmt::format("{}-{}", name, i);
      const bool is_there = std::ranges::any_of(pods, [&](const auto& one) { return one->metadata.name == pod; });
      if (!is_there) result.actions.emplace_back(Create{pod_of(seen.primary, pod)});
    }
    if (wanted_ == 0) {
      for (const auto& pod : pods) {
        if (!pod->metadata.deletion_timestamp) result.actions.emplace_back(Delete{child_ref(*pod)});
      }
    }
    return result;
  }

  static json::Document pod_of(const json::Document& primary, const std::string& name) {
    const json::Document owner = json::Object{{"apiVersion", kGroupVersion},
                                              {"kind", kKind},
                                              {"name", primary.string_at("metadata", "name")},
                                              {"uid", primary.string_at("metadata", "uid")},
                                              {"controller", true}};
    return json::Object{{"apiVersion", "v1"},
                        {"kind", "Pod"},
                        {"metadata", json::Object{{"name", name},
                                                  {"namespace", primary.string_at("metadata", "namespace")},
                                                  {"ownerReferences", json::Array{owner}}}},
                        {"spec", json::Object{{"containers", json::Array{}}}}};
  }

  /// The same answer to so many creates of pods.
  void refuse_pods(int times, int code, const std::string& reason, const std::string& message,
                   const json::Document& details = json::Object{}, const std::string& ns = "team") {
    const json::Document body = json::Object{{"kind", "Status"}, {"status", "Failure"}, {"code", code},
                                             {"reason", reason}, {"message", message},  {"details", details}};
    for (int i = 0; i < times; ++i) server_.refuse("POST", pods_path(ns), code, body);
  }
  void refuse_by_quota(int times) {
    refuse_pods(times, 403, "Forbidden",
                "pods is forbidden: exceeded quota: small, requested: pods=1, used: pods=0, limited: pods=0");
  }
  void let_namespace_terminate(int times) {
    refuse_pods(times, 403, "Forbidden", "it is being terminated",
                json::Object{{"causes", json::Array{json::Object{{"reason", "NamespaceTerminating"}}}}});
  }

  std::ptrdiff_t count(const std::string& request) const {
    return std::ranges::count_if(server_.requests, [&](const std::string& one) { return one.starts_with(request); });
  }
  std::ptrdiff_t tries(const std::string& ns = "team") const { return count("POST " + pods_path(ns)); }
  std::ptrdiff_t writes_in(const std::string& ns) const {
    return std::ranges::count_if(server_.requests, [&](const std::string& one) {
      return !one.starts_with("GET ") && one.find("/namespaces/" + ns + "/") != std::string::npos;
    });
  }
  std::vector<std::string> failures_told() const {
    std::vector<std::string> messages;
    for (const std::string& body : server_.bodies) {
      const auto event = json::parse(body);
      if (event && event->string_at("reason") == "FailedCreate") messages.push_back(event->string_at("message"));
    }
    return messages;
  }

  testing::SimLoop loop_;
  testing::SeededRng rng_{1};
  cli::FakeServer server_{loop_};
  client::ApiClient client_{server_, ""};
  client::EventRecorder events_{loop_, client_, {.component = "test", .host = ""}};
  SharedInformers informers_{loop_, rng_, client_};
  Runner runner_{loop_, rng_, client_, events_, informers_};
  int wanted_ = 2;
  std::string status_;
  int plans_ = 0;
  int touched_ = 0;
  std::vector<std::string> told_;  // refusals that plans have heard of
};

TEST_F(RunnerTest, PlansAgainOnlyWhenItSeesTheChildrenThatItMade) {
  put_job("a");
  EXPECT_EQ(tries(), 2);
  wanted_ = 4;
  touch_job("a");
  EXPECT_EQ(tries(), 4);

  server_.hold_watches();
  put_job("b");  // comes into view only later
  server_.let_watches_go();
  loop_.settle();
  EXPECT_EQ(tries(), 8);
}

TEST_F(RunnerTest, WaitsWhileItsViewIsOld) {
  put_job("a");
  wanted_ = 4;
  touch_job("a");
  ASSERT_EQ(tries(), 4);
  wanted_ = 6;
  server_.hold_watches();
  runner_.look_again("pytorchtrainingjobs.batch.tensorstack.dev");
  loop_.settle();
  ASSERT_EQ(tries(), 6);
  const int plans = plans_;
  for (int i = 0; i < 20; ++i) {
    runner_.look_again("pytorchtrainingjobs.batch.tensorstack.dev");
    loop_.advance(1s);
  }
  EXPECT_EQ(plans_, plans) << "it cannot know what it has made";
  EXPECT_EQ(tries(), 6);
  server_.let_watches_go();
  loop_.settle();
  EXPECT_GT(plans_, plans);
  EXPECT_EQ(tries(), 6);
}

TEST_F(RunnerTest, GoesOnWhenItsViewStaysOld) {
  wanted_ = 1;
  put_job("a");
  wanted_ = 2;
  server_.hold_watches();
  runner_.look_again("pytorchtrainingjobs.batch.tensorstack.dev");
  loop_.settle();
  ASSERT_EQ(tries(), 2);
  const int plans = plans_;
  loop_.advance(29s);
  EXPECT_EQ(plans_, plans);
  loop_.advance(2s);
  EXPECT_EQ(plans_, plans + 1);
  EXPECT_EQ(tries(), 3) << "the pod exists, which is fine";
}

TEST_F(RunnerTest, AwaitsDeletions) {
  put_job("a");
  wanted_ = 0;
  server_.hold_watches();
  runner_.look_again("pytorchtrainingjobs.batch.tensorstack.dev");
  loop_.settle();
  ASSERT_EQ(count("DELETE "), 2);
  runner_.look_again("pytorchtrainingjobs.batch.tensorstack.dev");
  loop_.advance(10s);
  EXPECT_EQ(count("DELETE "), 2);
  server_.let_watches_go();
  loop_.settle();
  EXPECT_EQ(count("DELETE "), 2);
}

TEST_F(RunnerTest, AConflictWaitsForTheNewView) {
  put_job("a");
  status_ = "Running";
  server_.hold_watches();
  touch_job("a");  // which the view does not show
  runner_.look_again("pytorchtrainingjobs.batch.tensorstack.dev");
  loop_.settle();
  const auto patches = count("PATCH ");
  ASSERT_EQ(patches, 1);
  loop_.advance(10s);
  EXPECT_EQ(count("PATCH "), patches);
  server_.let_watches_go();
  loop_.settle();
  EXPECT_EQ(count("PATCH "), patches + 1);
  EXPECT_EQ(server_.find(job_path("a"))->string_at("status", "phase"), "Running");
}

TEST_F(RunnerTest, ARefusedChildStopsTheOthersAndIsTriedSeldom) {
  wanted_ = 8;
  refuse_by_quota(100);
  put_job("a");
  EXPECT_EQ(tries(), 1) << "what refuses one refuses all";
  EXPECT_THAT(told_, ElementsAre("QuotaExceeded"));
  for (int i = 0; i < 60; ++i) {
    touch_job("a");
    loop_.advance(1s);
  }
  EXPECT_LE(tries(), 3);
  EXPECT_GE(tries(), 2);
  loop_.advance(10min);
  EXPECT_LE(tries(), 3 + 10 * 60 / 45);
  EXPECT_THAT(failures_told(),
              ElementsAre("quota small of namespace team is full: pod a-0 requests pods=1, the limit is pods=0; delete "
                          "what is no longer needed there, or raise the quota"))
      << "it is told once";
}

TEST_F(RunnerTest, WhatIsRefusedInTheMiddleOfAJobIsFew) {
  wanted_ = 40;
  for (int i = 20; i < 40; ++i) {
    const std::string name = fmt::format("a-{}", i);
    server_.put(pods_path() + "/" + name, cli::make_object("v1", "Pod", name));
  }
  put_job("a");
  EXPECT_LE(tries(), 23);
  loop_.advance(59s);
  EXPECT_LE(tries(), 23);
}

TEST_F(RunnerTest, ARefusedChildIsTriedAgainWhenTheSpecChanges) {
  refuse_by_quota(1);
  put_job("a");
  ASSERT_EQ(tries(), 1);
  touch_job("a");
  EXPECT_EQ(tries(), 1);
  put_job("a", "team", 2);
  EXPECT_EQ(tries(), 3);
}

TEST_F(RunnerTest, ARefusedChildDoesNotHoldUpItsPrimarysStatus) {
  refuse_by_quota(100);
  put_job("a");
  status_ = "Failed";
  touch_job("a");
  EXPECT_EQ(server_.find(job_path("a"))->string_at("status", "phase"), "Failed");
}

TEST_F(RunnerTest, NothingIsWrittenInANamespaceThatTerminates) {
  for (int i = 0; i < 40; ++i) put_job(fmt::format("early-{}", i));
  const auto before = writes_in("team");
  let_namespace_terminate(1000);
  wanted_ = 3;
  status_ = "Pending";
  runner_.look_again("pytorchtrainingjobs.batch.tensorstack.dev");
  loop_.settle();
  const auto at_first = writes_in("team") - before;
  EXPECT_LE(at_first, 2 * 32 + 32) << "those that were under way: a status, a pod, and a status with the reason";
  EXPECT_THAT(failures_told(), IsEmpty()) << "an Event is an object as well";
  loop_.advance(4min);
  runner_.look_again("pytorchtrainingjobs.batch.tensorstack.dev");
  loop_.settle();
  EXPECT_EQ(writes_in("team") - before, at_first);
  put_job("c", "other");
  EXPECT_EQ(tries("other"), 3) << "other namespaces are as before";
}

TEST_F(RunnerTest, ANamespaceOfTheSameNameIsAnotherOne) {
  let_namespace_terminate(1);
  put_job("a");
  ASSERT_EQ(tries(), 1);
  EXPECT_THAT(told_, ElementsAre("NamespaceTerminating"));
  touch_job("a");
  ASSERT_EQ(tries(), 1);
  server_.remove(job_path("a"));
  loop_.settle();
  put_job("a");
  EXPECT_EQ(tries(), 3);
}

TEST_F(RunnerTest, AServerInTroubleIsAskedSeldom) {
  refuse_pods(100, 500, "InternalError", "etcdserver: request timed out");
  put_job("a");
  for (int i = 0; i < 60; ++i) {
    touch_job("a");
    loop_.advance(1s);
  }
  EXPECT_LE(tries(), 3);
  EXPECT_GE(tries(), 2) << "it may only have restarted";
  EXPECT_THAT(failures_told(), IsEmpty());
}

TEST_F(RunnerTest, AServerSaysHowLongToWait) {
  refuse_pods(1, 429, "TooManyRequests", "later", json::Object{{"retryAfterSeconds", 20}});
  put_job("a");
  loop_.advance(19s);
  EXPECT_EQ(tries(), 1);
  loop_.advance(10s);
  EXPECT_EQ(tries(), 3);
}

TEST_F(RunnerTest, ANameThatSomebodyElseHasIsToldAndTriedSeldom) {
  wanted_ = 1;
  server_.put(pods_path() + "/a-0", cli::make_object("v1", "Pod", "a-0"));
  put_job("a");
  loop_.advance(60s);
  EXPECT_LE(tries(), 3);
  EXPECT_THAT(told_, ::testing::Each("NameTaken"));
  EXPECT_THAT(failures_told(), ElementsAre("pod a-0 already exists and belongs to nobody; delete it so that "
                                           "PyTorchTrainingJob/a can create its own"));
}

}  // namespace
}  // namespace muster::control
