#include "notify/notifier.h"

#include <gmock/gmock.h>

#include "client/api_client.h"
#include "testing/fake_server.h"
#include "testing/seeded_rng.h"
#include "testing/sim_loop.h"

namespace muster::notify {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string kJobs = "/apis/batch.tensorstack.dev/v1beta1/namespaces/default/pytorchtrainingjobs/";

/// Records what is sent, and answers when and how the test says.
class FakeSender final : public Sender {
 public:
  explicit FakeSender(Loop& loop) : loop_(loop) {}

  void send(const Target& target, const JobNews& job, const Notice& notice,
            UniqueFunction<void(Status)> done) override {
    sent.push_back(target.name + " " + job.name + " " + notice.id);
    if (hangs) return;
    loop_.post([answer = fails ? Status(Error{.reason = Reason::kServiceUnavailable, .message = "status 500"}) : ok(),
                done = std::move(done)]() mutable { done(answer); });
  }

  std::vector<std::string> sent;
  bool fails = false;
  bool hangs = false;

 private:
  Loop& loop_;
};

class NotifierTest : public ::testing::Test {
 protected:
  NotifierTest() { loop_.advance(1000h); }

  static Target target(const std::string& name, bool all_jobs = false) {
    Target made{.name = name, .way = WebHook{.url = "https://example.org"}};
    made.all_jobs = all_jobs;
    return made;
  }
  void start(std::vector<Target> targets) {
    notifier_.emplace(loop_, rng_, client_, sender_, std::move(targets));
    notifier_->start();
    loop_.settle();
  }
  void put(const std::string& name, const std::string& phase, const std::string& targets = "team") {
    json::Document job = cli::make_object("batch.tensorstack.dev/v1beta1", "PyTorchTrainingJob", name);
    const std::string now = format_rfc3339(loop_.now());
    job["metadata"]["creationTimestamp"] = now;
    if (const json::Document* known = server_.find(kJobs + name)) job["metadata"] = *known->find("metadata");
    if (!targets.empty()) job["metadata"]["annotations"]["muster.dev/notify"] = targets;
    job["status"] = json::Object{{"phase", phase}};
    server_.put(kJobs + name, std::move(job));
    loop_.settle();
  }
  std::string record(const std::string& job, const std::string& target) const {
    return server_.find(kJobs + job)->string_at("metadata", "annotations", "notified.muster.dev/" + target);
  }
  std::vector<std::string> events() const {
    std::vector<std::string> reasons;
    for (std::size_t i = 0; i < server_.requests.size(); ++i) {
      if (server_.requests[i].find("/events") == std::string::npos) continue;
      const auto event = json::parse(server_.bodies[i]);
      if (event) reasons.push_back(event->string_at("reason"));
    }
    return reasons;
  }

  testing::SimLoop loop_;
  testing::SeededRng rng_{1};
  cli::FakeServer server_{loop_};
  client::ApiClient client_{server_, ""};
  FakeSender sender_{loop_};
  std::optional<Notifier> notifier_;
};

TEST_F(NotifierTest, TellsTheTargetOnceAndRecordsIt) {
  start({target("team"), target("other")});
  put("mnist", "Running");
  put("mnist", "Succeeded");
  EXPECT_THAT(sender_.sent, ElementsAre("team mnist success"));
  EXPECT_EQ(record("mnist", "team"), "uid-mnist success");
  put("mnist", "Succeeded");
  EXPECT_EQ(sender_.sent.size(), 1u);
}

TEST_F(NotifierTest, AnotherStartKnowsWhatWasTold) {
  start({target("team")});
  put("mnist", "Succeeded");
  notifier_.reset();
  put("late", "Failed");
  start({target("team")});
  EXPECT_THAT(sender_.sent, ElementsAre("team mnist success", "team late failure"));
}

TEST_F(NotifierTest, ACrashBeforeTheRecordRepeatsTheNotice) {
  start({target("team")});
  sender_.hangs = true;
  put("mnist", "Succeeded");
  notifier_.reset();
  sender_.hangs = false;
  start({target("team")});
  EXPECT_THAT(sender_.sent, ElementsAre("team mnist success", "team mnist success"));
}

TEST_F(NotifierTest, ATargetThatHangsKeepsNobodyElseWaiting) {
  start({target("team"), target("other")});
  sender_.hangs = true;
  put("first", "Succeeded");
  sender_.hangs = false;
  put("second", "Succeeded", "other");
  EXPECT_THAT(sender_.sent, ElementsAre("team first success", "other second success"));
}

TEST_F(NotifierTest, AFailureIsRetriedLaterAndLaterAndAtLastGivenUp) {
  start({target("team")});
  sender_.fails = true;
  put("mnist", "Failed");
  EXPECT_EQ(sender_.sent.size(), 1u);
  loop_.advance(10s);
  EXPECT_GE(sender_.sent.size(), 2u);
  EXPECT_LE(sender_.sent.size(), 4u);
  loop_.advance(5h);
  EXPECT_EQ(sender_.sent.size(), static_cast<std::size_t>(Notifier::kMostAttempts));
  EXPECT_EQ(record("mnist", "team"), "uid-mnist failure!");
  EXPECT_THAT(events(), ElementsAre("NotificationFailed", "NotificationGivenUp"));
}

TEST_F(NotifierTest, ATargetThatRecoversGetsWhatItMissed) {
  start({target("team")});
  sender_.fails = true;
  put("a", "Failed");
  put("b", "Failed");
  sender_.fails = false;
  loop_.advance(1min);
  EXPECT_EQ(record("a", "team"), "uid-a failure");
  EXPECT_EQ(record("b", "team"), "uid-b failure");
}

TEST_F(NotifierTest, ANameThatIsNoTargetIsReported) {
  start({target("team")});
  put("mnist", "Failed", "taem");
  EXPECT_THAT(sender_.sent, IsEmpty());
  EXPECT_THAT(events(), ElementsAre("NotificationFailed"));
}

TEST_F(NotifierTest, ASecretOfTheRightTypeIsATarget) {
  json::Document secret = cli::make_object("v1", "Secret", "hook");
  secret["type"] = "muster.dev/notify";
  secret["data"] = json::Object{{"url", "aHR0cHM6Ly9leGFtcGxlLm9yZy94"}};
  server_.put("/api/v1/namespaces/default/secrets/hook", secret);
  start({});
  put("mnist", "Succeeded", "secret/hook");
  EXPECT_THAT(sender_.sent, ElementsAre("secret/hook mnist success"));
  EXPECT_EQ(record("mnist", "secret.hook"), "uid-mnist success");
}

TEST_F(NotifierTest, ATargetOfAllJobsHearsOfThoseThatEndAfterItsFirstStart) {
  put("old", "Succeeded", "");
  json::Document old = *server_.find(kJobs + "old");
  old["status"]["completionTime"] = format_rfc3339(loop_.now());
  server_.put(kJobs + "old", std::move(old));
  loop_.advance(1h);
  start({target("team", true)});
  EXPECT_THAT(sender_.sent, IsEmpty());
  put("new", "Succeeded", "");
  EXPECT_THAT(sender_.sent, ElementsAre("team new success"));
  const json::Document* list = server_.find("/api/v1/namespaces/kube-system/configmaps/muster-notify");
  ASSERT_NE(list, nullptr);
  EXPECT_EQ(list->string_at("data", "team"), format_rfc3339(loop_.now()));
}

TEST_F(NotifierTest, WithoutTargetsNothingIsWritten) {
  start({});
  put("mnist", "Succeeded", "");
  EXPECT_THAT(events(), IsEmpty());
  EXPECT_EQ(server_.find("/api/v1/namespaces/kube-system/configmaps/muster-notify"), nullptr);
}

}  // namespace
}  // namespace muster::notify
