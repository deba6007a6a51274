#include "web/jobs/progress_of_jobs.h"

#include <gtest/gtest.h>

#include "jobs/summary.h"
#include "testing/engine_fixture.h"
#include "testing/fake_pod_history.h"

namespace muster::web {
namespace {

using namespace std::chrono_literals;

/// Says what the logs have, and keeps the answers back if the test wants that.
class FakeSource final : public node::ProgressSource {
 public:
  explicit FakeSource(Loop& loop) : loop_(loop) {}
  void log_end(std::string pod_uid, std::string, UniqueFunction<void(std::string)> done) override {
    asked.push_back(std::move(pod_uid));
    if (is_stuck) return;
    loop_.post([done = std::move(done), answer = log]() mutable { done(std::move(answer)); });
  }
  void recent_events(node::FilePlace, node::EventSearch,
                     UniqueFunction<void(Result<node::EventFolders>)> done) override {
    loop_.post([done = std::move(done)]() mutable { done(node::EventFolders()); });
  }

  std::string log;
  std::vector<std::string> asked;
  bool is_stuck = false;

 private:
  Loop& loop_;
};

class ProgressOfJobsTest : public apiserver::Engine {
 protected:
  void SetUp() override {
    Engine::SetUp();
    transport_ = std::make_unique<apiserver::LocalTransport>(loop_, *server_);
    client_ = std::make_unique<client::ApiClient>(*transport_, "");
    source_ = std::make_unique<FakeSource>(loop_);
    history_ = std::make_unique<testing::FakePodHistory>(loop_);
    history_->past.pods.push_back(
        {.pod = *json::parse(R"({"metadata":{"uid":"pod-1","ownerReferences":[)"
                             R"({"uid":"u-1","controller":true}]},"spec":{"containers":[{"name":"pytorch"}]}})"),
         .has_log = true,
         .has_metrics = true});
    history_->past.pods[0].pod["metadata"]["name"] = jobs::summarise(*json::parse(*job("Running", "1"))).deciding_pod;
    progress_ = std::make_unique<ProgressOfJobs>(ProgressFrom{server_->context(), *client_, *source_, history_.get()});
  }
  void TearDown() override {
    progress_.reset();
    client_.reset();
    transport_.reset();
    Engine::TearDown();
  }

  /// Its pods are gone.
  static JobBytes job(const std::string& phase, const std::string& version) {
    const std::string end = phase == "Succeeded" ? R"(,"completionTime":"2026-01-01T00:03:00Z")" : "";
    return std::make_shared<const std::string>(
        R"({"apiVersion":"batch.tensorstack.dev/v1beta1","kind":"PyTorchTrainingJob","metadata":{"name":"mnist",)"
        R"("namespace":"default","uid":"u-1","resourceVersion":")" +
        version + R"("},"spec":{"replicaSpecs":[{"type":"worker","replicas":1,"template":{"spec":{"containers":[)" +
        R"({"name":"pytorch","image":"i"}]}}}]},"status":{"phase":")" + phase +
        R"(","startTime":"2026-01-01T00:00:00Z")" + end + "}}");
  }

  void look_at(const JobBytes& one) {
    bool is_done = false;
    progress_->look_at({one}, [&] { is_done = true; });
    until([&] { return is_done; });
  }

  std::unique_ptr<apiserver::LocalTransport> transport_;
  std::unique_ptr<client::ApiClient> client_;
  std::unique_ptr<FakeSource> source_;
  std::unique_ptr<testing::FakePodHistory> history_;
  std::unique_ptr<ProgressOfJobs> progress_;
};

TEST_F(ProgressOfJobsTest, OfACleanedUpJobIsInItsKeptLogAndIsReadOnce) {
  source_->log = "{'loss': 0.5, 'epoch': 2.0}\n";
  look_at(job("Succeeded", "7"));
  EXPECT_EQ(progress_->of("u-1").loss, 0.5);
  EXPECT_EQ(source_->asked, std::vector<std::string>{"pod-1"});
  loop_.advance(1h);
  look_at(job("Succeeded", "7"));
  EXPECT_EQ(source_->asked.size(), 1u);
  look_at(job("Succeeded", "8"));
  EXPECT_EQ(source_->asked.size(), 2u) << "it may run again";
}

TEST_F(ProgressOfJobsTest, OfARunningJobIsReadAgainAfterAWhile) {
  source_->log = "{'loss': 0.5, 'epoch': 2.0}\n";
  look_at(job("Running", "7"));
  look_at(job("Running", "7"));
  EXPECT_EQ(source_->asked.size(), 1u);
  source_->log = "{'loss': 0.25, 'epoch': 3.0}\n";
  loop_.advance(10s);
  look_at(job("Running", "7"));
  EXPECT_EQ(progress_->of("u-1").loss, 0.25);
}

TEST_F(ProgressOfJobsTest, ASlowDiskHoldsUpNoList) {
  source_->is_stuck = true;
  bool is_done = false;
  progress_->look_at({job("Running", "7")}, [&] { is_done = true; });
  until([&] { return source_->asked.size() == 1; });
  EXPECT_FALSE(is_done);
  loop_.advance(1100ms);
  EXPECT_TRUE(is_done);
  EXPECT_TRUE(progress_->of("u-1").empty());
  progress_->look_at({job("Running", "7")}, [] {});
  loop_.advance(2s);
  EXPECT_EQ(source_->asked.size(), 1u) << "the search is still under way";
}

TEST_F(ProgressOfJobsTest, OfAJobOfTheSameNameIsNotShown) {
  history_->past.pods[0].pod["metadata"]["ownerReferences"] = json::Array();
  look_at(job("Succeeded", "7"));
  EXPECT_TRUE(source_->asked.empty());
}

}  // namespace
}  // namespace muster::web
