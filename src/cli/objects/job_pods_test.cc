#include "cli/objects/job_pods.h"

#include <gmock/gmock.h>

#include "api/names.h"
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

TEST(LeadingPod, IsTheOneThatDecides) {
  const std::vector<json::Document> workers{pod_of_role("w-10", "worker", "10"), pod_of_role("w-2", "worker", "2"),
                                            pod_of_role("p-0", "ps", "0")};
  EXPECT_EQ(leading_pod(workers)->string_at("metadata", "name"), "w-2");
  std::vector<json::Document> with_master = workers;
  with_master.push_back(pod_of_role("m-0", "master", "0"));
  EXPECT_EQ(leading_pod(with_master)->string_at("metadata", "name"), "m-0");
  EXPECT_EQ(leading_pod({}), nullptr);
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
