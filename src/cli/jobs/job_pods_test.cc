#include "cli/jobs/job_pods.h"

#include <gmock/gmock.h>

#include "api/muster/names.h"
#include "testing/command_run.h"

namespace muster::cli {
namespace {

using ::testing::HasSubstr;

json::Document pod_of_role(const std::string& name, const std::string& role, const std::string& index) {
  json::Document pod = make_object("v1", "Pod", name);
  pod["metadata"]["labels"][api::kReplicaTypeLabel] = role;
  pod["metadata"]["labels"][api::kReplicaIndexLabel] = index;
  return pod;
}

const std::string& decider_among(const jobs::Summary& job, const std::vector<json::Document>& pods) {
  return deciding_pod(job, pods)->string_at("metadata", "name");
}

TEST(DecidingPod, IsTheOneThatTheJobNames) {
  jobs::Summary job;
  job.roles = {{.name = "ps", .replicas = 1}, {.name = "worker", .replicas = 11}};
  job.deciding_pod = "p-0";
  const std::vector<json::Document> pods{pod_of_role("w-10", "worker", "10"), pod_of_role("w-2", "worker", "2"),
                                         pod_of_role("p-0", "ps", "0")};
  EXPECT_EQ(decider_among(job, pods), "p-0");
  job.deciding_pod = "gone";
  EXPECT_EQ(decider_among(job, pods), "p-0");
  EXPECT_EQ(decider_among(job, {pods[0], pods[1]}), "w-2");
  EXPECT_EQ(deciding_pod(job, {}), nullptr);
}

TEST(DecidingPod, OfTheParameterServerTutorialIsTheServer) {
  const json::Document object =
      *json::parse(R"({"apiVersion":"batch.tensorstack.dev/v1beta1","kind":"PyTorchTrainingJob",
      "metadata":{"name":"rpc","uid":"u"},"spec":{"replicaSpecs":[
      {"type":"ps","replicas":1,"template":{"spec":{"containers":[{"name":"pytorch","image":"i"}]}}},
      {"type":"worker","replicas":2,"template":{"spec":{"containers":[{"name":"pytorch","image":"i"}]}}}]}})");
  const std::vector<json::Document> pods{pod_of_role("rpc-worker-0", "worker", "0"),
                                         pod_of_role("rpc-ps-0", "ps", "0")};
  EXPECT_EQ(decider_among(jobs::summarise(object), pods), "rpc-ps-0");
}

class ExecByName : public ::testing::Test {
 protected:
  void add_job() {
    json::Document job = make_object("batch.tensorstack.dev/v1beta1", "PyTorchTrainingJob", "mnist");
    run_.server.put("/apis/batch.tensorstack.dev/v1beta1/namespaces/default/pytorchtrainingjobs/mnist", job);
    for (const std::string index : {"1", "0"}) {
      json::Document pod = pod_of_role("mnist-worker-" + index, "worker", index);
      pod["metadata"]["labels"][api::kOwnerNameLabel] = "mnist";
      pod["metadata"]["ownerReferences"] =
          json::Array{json::Object{{"uid", job.string_at("metadata", "uid")}, {"controller", true}}};
      pod["status"]["phase"] = "Succeeded";
      run_.server.put("/api/v1/namespaces/default/pods/mnist-worker-" + index, pod);
    }
  }
  int exec(const std::string& name) { return run_.run(make_exec(), {name, "--", "true"}); }

  CommandRun run_;
};

TEST_F(ExecByName, AJobsNameMeansItsFirstReplica) {
  add_job();
  EXPECT_EQ(exec("mnist"), kExitConflict);
  EXPECT_THAT(run_.err, HasSubstr("pod mnist-worker-0 has ended"));
  EXPECT_EQ(exec("pj/mnist"), kExitConflict);
}

TEST_F(ExecByName, OfAJobThatWaitsOrHasEndedSpeaksOfTheJob) {
  add_job();
  json::Document job = make_object("batch.tensorstack.dev/v1beta1", "PyTorchTrainingJob", "mnist");
  const std::string path = "/apis/batch.tensorstack.dev/v1beta1/namespaces/default/pytorchtrainingjobs/mnist";
  json::Document first = *run_.server.find("/api/v1/namespaces/default/pods/mnist-worker-0");
  first["status"]["phase"] = "Pending";
  run_.server.put("/api/v1/namespaces/default/pods/mnist-worker-0", first);
  EXPECT_EQ(exec("mnist"), kExitConflict);
  EXPECT_THAT(run_.err, HasSubstr("pj/mnist is waiting (Pending): nothing runs in it yet"));
  job["status"]["phase"] = "Succeeded";
  run_.server.put(path, job);
  EXPECT_EQ(exec("mnist"), kExitConflict);
  EXPECT_THAT(run_.err, HasSubstr("pj/mnist has ended (Succeeded): nothing runs in it"));
  EXPECT_THAT(run_.err, HasSubstr("muster logs mnist"));
}

TEST_F(ExecByName, APodsOwnNameWins) {
  add_job();
  json::Document pod = make_object("v1", "Pod", "mnist");
  pod["status"]["phase"] = "Failed";
  run_.server.put("/api/v1/namespaces/default/pods/mnist", pod);
  EXPECT_EQ(exec("mnist"), kExitConflict);
  EXPECT_THAT(run_.err, HasSubstr("pod mnist has ended"));
}

TEST_F(ExecByName, ANameThatNothingHasIsReported) {
  EXPECT_EQ(exec("absent"), kExitNotFound);
  EXPECT_THAT(run_.err, HasSubstr("no pod and no job \"absent\" in namespace default"));
}

}  // namespace
}  // namespace muster::cli
