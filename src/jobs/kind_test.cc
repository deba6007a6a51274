#include "jobs/kind.h"

#include <gmock/gmock.h>

#include "json/yaml.h"

namespace muster::jobs {
namespace {

/// Such an object was stored before there was a limit, or by a cluster whose definitions are older.
TEST(JobKinds, RefuseANumberOfReplicasThatNoMachineHas) {
  const std::string role = "replicas: 2147483647, template: {spec: {containers: [{name: pytorch, image: i}]}}";
  for (const std::string& text :
       {"{apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {name: j}, spec: {pytorchReplicaSpecs: {Worker: {" +
            role + "}}}}",
        "{apiVersion: batch.tensorstack.dev/v1beta1, kind: PyTorchTrainingJob, metadata: {name: j}, spec: "
        "{replicaSpecs: [{type: a, " +
            role + "}, {type: b, " + role + "}]}}"}) {
    const json::Document object = json::parse_yaml(text)->front().value;
    const JobKind* kind = find_job_kind(object.string_at("apiVersion"), object.string_at("kind"));
    const auto job = kind->normalise(object, Where::kEngine);
    ASSERT_FALSE(job.has_value());
    EXPECT_THAT(job.error().message, ::testing::HasSubstr("should be less than or equal to 10000"));
  }
}

}  // namespace
}  // namespace muster::jobs
