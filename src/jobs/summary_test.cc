#include "jobs/summary.h"

#include <gmock/gmock.h>

#include <limits>

#include "json/yaml.h"

namespace muster::jobs {
namespace {

using ::testing::ElementsAre;

json::Document job(const std::string& text) {
  return json::parse_yaml(text)->front().value;
}

std::vector<std::string> role_lines(const Summary& summary) {
  std::vector<std::string> lines;
  for (const RoleSummary& role : summary.roles) {
    lines.push_back(role.name + " " + std::to_string(role.replicas) + " from " + std::to_string(role.first_rank) +
                    " x" + std::to_string(role.processes));
  }
  return lines;
}

const std::string kTemplate = "template: {spec: {containers: [{name: pytorch, image: i}]}}";

json::Document training_job(const std::string& spec, const std::string& status = "{}",
                            const std::string& metadata = "") {
  return job("{apiVersion: batch.tensorstack.dev/v1beta1, kind: PyTorchTrainingJob, metadata: {name: mnist" + metadata +
             "}, spec: " + spec + ", status: " + status + "}");
}

TEST(Summary, CountsTheReplicasThatAnElasticJobExpects) {
  for (const char* enabled : {"enabled", "enable"}) {
    const Summary summary = summarise(training_job(
        std::string("{elastic: {") + enabled +
            ": true, minReplicas: 1, maxReplicas: 4, expectedReplicas: 3}, torchrunConfig: {enabled: true}, "
            "replicaSpecs: [{type: worker, replicas: 1, " +
            kTemplate + "}]}",
        "{phase: Running, tasks: [{type: worker, replicas: [{phase: Running}, {phase: Running}, {phase: Running}]}], "
        "aggregate: {running: 3}}"));
    EXPECT_EQ(summary.running(), 3) << enabled;
    EXPECT_EQ(summary.wanted(), 3) << enabled;
    ASSERT_TRUE(summary.elastic) << enabled;
    EXPECT_EQ(summary.elastic->most, 4) << enabled;
  }
}

TEST(Summary, NamesTheReplicaThatDecides) {
  const Summary summary = summarise(training_job("{replicaSpecs: [{type: ps, replicas: 1, " + kTemplate +
                                                 "}, {type: worker, replicas: 2, " + kTemplate + "}]}"));
  EXPECT_EQ(summary.decider, "ps-0");
  EXPECT_THAT(summary.deciding_pod, ::testing::EndsWith("-ps-0"));
  EXPECT_THAT(role_lines(summary), ElementsAre("ps 1 from 0 x1", "worker 2 from 1 x1"));
}

TEST(Summary, SaysWhyAJobWaits) {
  const std::string spec = "{replicaSpecs: [{type: worker, replicas: 1, " + kTemplate + "}]}";
  const std::string waits = "{type: Running, status: 'False', reason: QuotaExceeded, message: quota small is full}";
  EXPECT_EQ(summarise(training_job(spec, "{phase: Pending, conditions: [" + waits + "]}")).cause,
            "quota small is full");
  const std::string runs = "{type: Running, status: 'True', reason: QuotaExceeded, message: quota small is full}";
  EXPECT_EQ(summarise(training_job(spec, "{phase: Running, conditions: [" + runs + "]}")).cause, "quota small is full");
  const std::string failed = "{type: ReplicaFailure, status: 'True', reason: '-', message: worker-0 was lost}";
  EXPECT_EQ(summarise(training_job(spec, "{phase: Running, conditions: [" + runs + ", " + failed + "]}")).cause,
            "worker-0 was lost; it waits: quota small is full");
  const Summary kubeflow = summarise(job(
      "{apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {name: j}, spec: {pytorchReplicaSpecs: {Worker: {" +
      kTemplate +
      "}}}, status: {conditions: [{type: Waiting, status: 'True', reason: QuotaExceeded, message: quota small is "
      "full}, {type: Created, status: 'True', reason: PyTorchJobCreated, message: m}]}}"));
  EXPECT_EQ(kubeflow.state, State::kPending);
  EXPECT_EQ(kubeflow.cause, "quota small is full");
}

TEST(Summary, KnowsAllThreeShapesOfAnMpiJob) {
  const std::string head = "{apiVersion: batch.tensorstack.dev/v1beta1, kind: MPIJob, metadata: {name: mpi}, spec: ";
  const std::string worker = "template: {spec: {containers: [{name: worker, image: i}]}}";
  const std::vector<std::string> shapes = {
      "{replicaSpecs: [{type: worker, replicas: 2, " + worker +
          "}, {type: launcher, replicas: 1, template: {}}], mpiConfig: {script: [train], extraArgs: [-N, '2']}}",
      "{worker: {replicas: 2, processesPerWorker: 2, cmd: [train], " + worker + "}}",
      "{worker: {replicas: 2, cmd: [train], extraMPIArgs: [-N, '2'], " + worker + "}}"};
  for (const std::string& shape : shapes) {
    const Summary summary = summarise(job(head + shape + "}"));
    EXPECT_THAT(role_lines(summary), ElementsAre("launcher 1 from 0 x0", "worker 2 from 1 x2")) << shape;
    EXPECT_EQ(summary.decider, "launcher-0") << shape;
  }
}

TEST(Summary, CountsRestartsOfEveryFamily) {
  EXPECT_EQ(
      summarise(training_job("{replicaSpecs: [{type: worker, " + kTemplate + "}]}", "{backoffCount: 2}")).restarts, 2);
  EXPECT_EQ(summarise(job("{apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {name: j}, spec: "
                          "{pytorchReplicaSpecs: {Worker: {" +
                          kTemplate + "}}}, status: {restartCount: 2}}"))
                .restarts,
            2);
}

TEST(Summary, OfAStoppedJobIsNoFailure) {
  const Summary summary = summarise(training_job(
      "{replicaSpecs: [{type: worker, " + kTemplate + "}]}",
      "{phase: Failed, conditions: [{type: Failed, status: 'True', reason: Stopped, message: the job was stopped}]}"));
  EXPECT_EQ(summary.state, State::kStopped);
  EXPECT_EQ(summary.cause, "the job was stopped");
}

TEST(Summary, OfAJobThatIsBeingDeletedKeepsThePhase) {
  const Summary summary = summarise(training_job("{replicaSpecs: [{type: worker, " + kTemplate + "}]}",
                                                 "{phase: Running}", ", deletionTimestamp: '2026-01-01T00:00:00Z'"));
  EXPECT_EQ(summary.state, State::kDeleting);
  EXPECT_EQ(summary.phase, State::kRunning);
}

TEST(Summary, OfAnEndedJobCountsNothingAsRunning) {
  const Summary summary = summarise(job(
      "{apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {name: mnist}, spec: {pytorchReplicaSpecs: {Worker: "
      "{replicas: 2, " +
      kTemplate +
      "}}}, status: {replicaStatuses: {Worker: {active: 2}}, conditions: [{type: Failed, status: 'True', reason: "
      "PyTorchJobFailed}]}}"));
  EXPECT_EQ(summary.state, State::kFailed);
  EXPECT_EQ(summary.running(), 0);
}

TEST(Summary, OfAbsurdNumbersStaysInRange) {
  const Summary summary = summarise(
      job("{apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {name: mnist}, spec: {pytorchReplicaSpecs: "
          "{Master: {replicas: 1, " +
          kTemplate + "}, Worker: {replicas: 2, " + kTemplate +
          "}}}, status: {restartCount: -7, replicaStatuses: {Master: {active: 2147483647}, Worker: {active: "
          "2147483647}}, conditions: [{type: Running, status: 'True'}]}}"));
  EXPECT_GE(summary.running(), 0);
  EXPECT_EQ(summary.restarts, 0);
  const Summary greedy = summarise(training_job(
      "{replicaSpecs: [{type: worker, replicas: 10000, template: {spec: {containers: [{name: pytorch, image: i, "
      "resources: {limits: {nvidia.com/gpu: '9223372036854775807'}}}]}}}]}"));
  EXPECT_EQ(greedy.gpus, std::numeric_limits<std::int64_t>::max());
}

TEST(Summary, OfAnInvalidJobShowsItsState) {
  const Summary summary = summarise(training_job("{replicaSpecs: 7}", "{phase: Failed}"));
  EXPECT_EQ(summary.state, State::kFailed);
  EXPECT_TRUE(summary.roles.empty());
}

TEST(Summary, AddsUpWhatTheReplicasName) {
  const Summary summary = summarise(training_job(
      "{replicaSpecs: [{type: worker, replicas: 3, template: {spec: {volumes: [{name: d, persistentVolumeClaim: "
      "{claimName: data}}], containers: [{name: pytorch, image: i, resources: {requests: {cpu: 500m}, limits: {cpu: 1, "
      "memory: 1Gi, nvidia.com/gpu: 2}}}]}}}]}"));
  EXPECT_EQ(summary.resources.at("cpu").requests->text(), "1500m");
  EXPECT_EQ(summary.resources.at("cpu").limits->text(), "3");
  EXPECT_EQ(summary.resources.at("memory").limits->value(), 3LL << 30);
  EXPECT_EQ(summary.gpus, 6);
  EXPECT_THAT(summary.claims, ElementsAre("data"));
}

TEST(Summary, ReadsAJobThatOnlyAnotherVersionNames) {
  const Summary summary = summarise(job(
      "{apiVersion: kubeflow.org/v2beta1, kind: MPIJob, metadata: {name: pi, namespace: default}, spec: "
      "{slotsPerWorker: 2, mpiReplicaSpecs: {Launcher: {replicas: 1, template: {spec: {containers: [{name: l, image: "
      "i}]}}}, Worker: {replicas: 2, template: {spec: {containers: [{name: w, image: i}]}}}}}}"));
  EXPECT_THAT(role_lines(summary), ElementsAre("Launcher 1 from 0 x0", "Worker 2 from 1 x2"));
}

}  // namespace
}  // namespace muster::jobs
