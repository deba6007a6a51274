#include "web/jobs/job_log_route.h"

#include <gtest/gtest.h>

#include "testing/engine_fixture.h"
#include "testing/fake_pod_history.h"
#include "testing/fake_server.h"

namespace muster::web {
namespace {

using namespace std::chrono_literals;

const std::string kPodPath = "/api/v1/namespaces/default/pods/";
const std::string kJobPath = "/apis/batch.tensorstack.dev/v1beta1/namespaces/default/pytorchtrainingjobs/mnist";

std::string at_second(int second, const std::string& text) {
  return "2026-01-01T00:00:0" + std::to_string(second) + "Z " + text + "\n";
}

class JobLogRoute : public ::testing::Test {
 protected:
  void SetUp() override { put_job("Running"); }

  void put_job(const std::string& phase) {
    json::Document job = cli::make_object("batch.tensorstack.dev/v1beta1", "PyTorchTrainingJob", "mnist");
    job["status"]["phase"] = phase;
    server_.put(kJobPath, std::move(job));
    loop_.settle();
  }
  /// `state` is waiting, running or terminated.
  void put_pod(const std::string& replica, const std::string& state, const std::string& uid = "") {
    json::Document pod = cli::make_object("v1", "Pod", "mnist-" + replica);
    if (!uid.empty()) pod["metadata"]["uid"] = uid;
    pod["metadata"]["labels"] = json::Object{{"tensorstack.dev/owner-name", "mnist"}};
    pod["metadata"]["ownerReferences"] = json::Array{json::Object{{"uid", "uid-mnist"}, {"controller", true}}};
    pod["spec"]["containers"] = json::Array{json::Object{{"name", "pytorch"}}};
    pod["status"]["phase"] = state == "waiting" ? "Pending" : state == "running" ? "Running" : "Failed";
    pod["status"]["containerStatuses"] = json::Array{
        json::Object{{"name", "pytorch"}, {"restartCount", 0}, {"state", json::Object{{state, json::Object{}}}}}};
    server_.put(kPodPath + "mnist-" + replica, std::move(pod));
    loop_.settle();
  }
  void log(const std::string& replica, const std::string& text) {
    server_.log("mnist-" + replica, text);
    loop_.settle();
  }
  void end(const std::string& replica, const std::string& uid = "") {
    server_.end_log("mnist-" + replica);
    put_pod(replica, "terminated", uid);
  }
  void ask(const std::string& query) {
    apiserver::RoutedRequest request;
    request.query = *apiserver::Query::parse(query);
    request.at = {
        {"namespace", "default"}, {"resource", "pytorchtrainingjobs.batch.tensorstack.dev"}, {"name", "mnist"}};
    answer_ = std::make_shared<apiserver::Recorder>();
    job_log_route(loop_, client_, &history_).handle(std::move(request), answer_);
    loop_.settle();
  }
  void TearDown() override {
    if (answer_ && answer_->gone) answer_->gone();
    loop_.settle();
  }

  testing::SimLoop loop_;
  cli::FakeServer server_{loop_};
  client::ApiClient client_{server_, ""};
  testing::FakePodHistory history_{loop_};
  std::shared_ptr<apiserver::Recorder> answer_;
};

TEST_F(JobLogRoute, FollowsOverARestart) {
  put_pod("worker-0", "running", "first");
  ask("follow=true");
  EXPECT_EQ(answer_->status, 200) << "before the first line";
  log("worker-0", at_second(1, "first try"));
  end("worker-0", "first");
  loop_.advance(10s);
  EXPECT_FALSE(answer_->ended) << "the job has not ended";
  server_.remove(kPodPath + "mnist-worker-0");
  server_.new_log("mnist-worker-0");
  put_pod("worker-0", "waiting", "second");
  put_pod("worker-0", "running", "second");
  log("worker-0", at_second(5, "second try"));
  put_pod("worker-1", "running");
  log("worker-1", at_second(6, "one more"));
  EXPECT_EQ(answer_->body, "[worker-0] first try\n[worker-0] second try\n[worker-1] one more\n");
  end("worker-0", "second");
  log("worker-1", "2026-01-01T00:00:07Z unfinished");
  end("worker-1");
  EXPECT_FALSE(answer_->ended);
  put_job("Succeeded");
  loop_.advance(1s);
  EXPECT_TRUE(answer_->ended);
  EXPECT_EQ(answer_->body, "[worker-0] first try\n[worker-0] second try\n[worker-1] one more\n[worker-1] unfinished\n");
}

TEST_F(JobLogRoute, DoesNotWaitForPodsThatOutliveTheJob) {
  put_pod("worker-0", "running");
  ask("follow=true");
  log("worker-0", at_second(1, "one"));
  loop_.advance(1h);
  put_job("Succeeded");
  loop_.advance(1s);
  log("worker-0", at_second(2, "last words"));
  loop_.advance(1500ms);
  EXPECT_FALSE(answer_->ended);
  loop_.advance(1s);
  EXPECT_TRUE(answer_->ended);
  EXPECT_EQ(answer_->body, "[worker-0] one\n[worker-0] last words\n");
}

TEST_F(JobLogRoute, ASlowReaderLosesNothing) {
  put_pod("worker-0", "running");
  ask("follow=true&timestamps=true");
  answer_->backlog = std::size_t{2} << 20;
  log("worker-0", at_second(1, "one"));
  log("worker-0", at_second(2, "two"));
  end("worker-0");
  put_job("Failed");
  loop_.advance(1min);
  EXPECT_EQ(answer_->body, "[worker-0] " + at_second(1, "one")) << "nothing is read for a client that does not read";
  EXPECT_FALSE(answer_->ended);
  answer_->read_until(0);
  loop_.advance(1s);
  EXPECT_TRUE(answer_->ended);
  EXPECT_EQ(answer_->body, "[worker-0] " + at_second(1, "one") + "[worker-0] " + at_second(2, "two"));
}

TEST_F(JobLogRoute, MergesWhatIsThereByTime) {
  put_pod("worker-0", "running");
  put_pod("worker-1", "running");
  log("worker-0", at_second(1, "one") + at_second(3, "three"));
  log("worker-1", at_second(2, "two"));
  ask("");
  EXPECT_TRUE(answer_->ended);
  EXPECT_EQ(answer_->body, "[worker-0] one\n[worker-1] two\n[worker-0] three\n");
}

TEST_F(JobLogRoute, EndsAtItsLimit) {
  put_pod("worker-0", "running");
  log("worker-0", at_second(1, "one"));
  ask("follow=true&limitBytes=13");
  EXPECT_EQ(answer_->body, "[worker-0] on");
  EXPECT_TRUE(answer_->ended);
}

TEST_F(JobLogRoute, RefusesWrongParametersAtOnce) {
  put_pod("worker-0", "running");
  for (const auto& [query, code] : std::map<std::string, int>{{"tailLines=x", 400},
                                                              {"tailLines=-1", 422},
                                                              {"sinceTime=yesterday", 400},
                                                              {"limitBytes=0", 400},
                                                              {"follow=true&tailLines=x", 400},
                                                              {"follow=true&container=other", 400}}) {
    ask(query);
    EXPECT_EQ(answer_->status, code) << query;
    EXPECT_TRUE(answer_->ended) << query;
  }
}

TEST_F(JobLogRoute, ReadsWhatIsKeptOfPodsThatCleanUpTook) {
  put_pod("worker-0", "running");
  log("worker-0", at_second(1, "one"));
  end("worker-0");
  put_job("Succeeded");
  json::Document gone = cli::make_object("v1", "Pod", "mnist-worker-1");
  gone["metadata"]["uid"] = "gone";
  gone["metadata"]["ownerReferences"] = json::Array{json::Object{{"uid", "uid-mnist"}, {"controller", true}}};
  gone["spec"]["containers"] = json::Array{json::Object{{"name", "pytorch"}}};
  history_.past.pods = {{.pod = gone, .has_log = true, .has_metrics = true}};
  log("worker-1/0", at_second(2, "two"));
  ask("follow=true");
  EXPECT_TRUE(answer_->ended);
  EXPECT_EQ(answer_->body, "[worker-0] one\n[worker-1] two\n");
  EXPECT_EQ(history_.asked.kind, "PyTorchTrainingJob");
  ask("attempt=3");
  EXPECT_EQ(answer_->status, 404);
}

TEST_F(JobLogRoute, EndsWithAJobThatIsDeleted) {
  put_pod("worker-0", "running");
  ask("follow=true");
  log("worker-0", at_second(1, "one"));
  server_.end_log("mnist-worker-0");
  server_.remove(kPodPath + "mnist-worker-0");
  server_.remove(kJobPath);
  loop_.advance(1s);
  EXPECT_TRUE(answer_->ended);
  EXPECT_EQ(answer_->body, "[worker-0] one\n");
}

}  // namespace
}  // namespace muster::web
