#include "jobs/kinds/kept_state.h"

#include <gmock/gmock.h>

#include <set>

#include "jobs/kind.h"
#include "jobs/summary.h"
#include "json/yaml.h"
#include "testing/kubeflow_schema.h"

namespace muster::jobs {
namespace {

using ::testing::ElementsAre;

Time at(std::string_view time) {
  return *parse_rfc3339(time);
}

const Time kNow = at("2026-01-01T00:00:00Z");
const Time kLater = at("2026-01-01T00:10:00Z");

JobStatus restarted() {
  JobStatus status;
  status.phase = Phase::kRunning;
  status.replica_failure = true;
  status.replica_failure_message = "replica worker-0 failed";
  status.restarts = 1;
  status.attempts = {{"master-0", 2}, {"worker-0", 2}};
  status.incident = {"worker-0"};
  status.succeeded = {"worker-1"};
  status.next_retry = at("2026-01-01T00:00:09Z");
  status.started = kNow;
  return status;
}

/// A PyTorchJob in a cluster with Kubeflow's own CRD.
class KeptState : public ::testing::Test {
 protected:
  void write(const JobStatus& status, Time now, Where where = Where::kCluster) {
    object_["status"] = kind_->project(status, object_, where, now);
    if (where == Where::kCluster) testing::prune_as_kubeflow_does(object_["status"]);
  }
  std::vector<std::string> types() const {
    std::vector<std::string> types;
    for (const json::Document& one : object_.array_at("status", "conditions")) types.push_back(one.string_at("type"));
    return types;
  }
  const json::Document& kept() const { return object_.array_at("status", "conditions").front(); }

  json::Document object_ =
      json::parse_yaml("{apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {name: mnist}, spec: {}}")
          ->front()
          .value;
  const JobKind* kind_ = kind_of_job(object_);
};

TEST_F(KeptState, SurvivesAStatusThatTheCrdPrunes) {
  write(restarted(), kNow);
  const JobStatus read = kind_->read_status(object_);
  EXPECT_EQ(read.restarts, 1);
  EXPECT_EQ(read.attempts, restarted().attempts);
  EXPECT_EQ(read.incident, restarted().incident);
  EXPECT_EQ(read.succeeded, restarted().succeeded);
  EXPECT_EQ(read.next_retry, restarted().next_retry);
  EXPECT_EQ(summarise(object_).restarts, 1);
}

TEST_F(KeptState, IsOneConditionInFrontOfTheOthers) {
  write(restarted(), kNow);
  EXPECT_THAT(types(), ElementsAre("MusterState", "Created", "Restarting"));
  EXPECT_EQ(kept().string_at("status"), "True");
  EXPECT_EQ(kept().string_at("reason"), "Kept");
  EXPECT_EQ(kept().string_at("message"),
            R"({"restartCount":1,"attempts":{"master-0":2,"worker-0":2},"incidentReplicas":["worker-0"],)"
            R"("succeededReplicas":["worker-1"],"nextRetryTime":"2026-01-01T00:00:09Z"})");
  EXPECT_FALSE(is_for_people(kept()));
  EXPECT_TRUE(is_for_people(object_.array_at("status", "conditions").back()));
}

TEST_F(KeptState, IsNoTransitionWhenItsMessageChanges) {
  JobStatus status = restarted();
  write(status, kNow);
  write(status, kLater);
  EXPECT_EQ(kept().string_at("lastUpdateTime"), "2026-01-01T00:00:00Z") << "nothing has changed";
  status.restarts = 2;
  write(status, kLater);
  EXPECT_EQ(kept().string_at("lastTransitionTime"), "2026-01-01T00:00:00Z");
  EXPECT_EQ(kept().string_at("lastUpdateTime"), "2026-01-01T00:10:00Z");
}

TEST_F(KeptState, IsWrittenAfterTheJobHasFailed) {
  JobStatus status = restarted();
  status.phase = Phase::kFailed;
  write(status, kNow);
  status.attempts["worker-0"] = 3;
  write(status, kLater);
  EXPECT_EQ(kind_->read_status(object_).attempts.at("worker-0"), 3);
}

TEST_F(KeptState, IsAbsentWhileThereIsNothingToKeep) {
  JobStatus status;
  status.phase = Phase::kPending;
  status.port = 23456;
  status.observed_generation = 1;
  write(status, kNow);
  EXPECT_THAT(types(), ElementsAre("Created"));
}

TEST_F(KeptState, PrunesNothingThatWasWritten) {
  const json::Document written = kind_->project(restarted(), object_, Where::kCluster, kNow);
  json::Document stored = written;
  testing::prune_as_kubeflow_does(stored);
  EXPECT_EQ(stored, written) << "the next look would write it again";
}

TEST_F(KeptState, NamesTheFieldsThatAClusterNeverGets) {
  std::set<std::string> ours;
  for (const reflect::FieldDesc& field : reflect::type_of<api::KubeflowJobStatus>().fields) ours.insert(field.name);
  for (const std::string_view kept : fields_in_kept_state()) EXPECT_EQ(ours.erase(std::string(kept)), 1) << kept;
  EXPECT_THAT(ours, ElementsAre("completionTime", "conditions", "lastReconcileTime", "replicaStatuses", "startTime"));
}

TEST_F(KeptState, ReplacesTheFieldsOfAnOlderOperator) {
  write(restarted(), kNow, Where::kEngine);
  EXPECT_THAT(types(), ElementsAre("Created", "Restarting"));
  ASSERT_EQ(object_.int_at("status", "restartCount"), 1);
  write(kind_->read_status(object_), kLater);
  EXPECT_EQ(object_.at("status", "restartCount"), nullptr);
  EXPECT_EQ(kind_->read_status(object_).attempts, restarted().attempts);
}

TEST_F(KeptState, IsEmptyWhenSomebodyHasBrokenIt) {
  write(restarted(), kNow);
  for (const char* broken : {"", "{", "[]", R"({"attempts":7})"}) {
    object_["status"]["conditions"].as_array().front()["message"] = broken;
    EXPECT_EQ(kind_->read_status(object_).restarts, 0) << broken;
  }
}

}  // namespace
}  // namespace muster::jobs
