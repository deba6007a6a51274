#include "jobs/log_folders.h"

#include <gmock/gmock.h>

#include "json/yaml.h"

namespace muster::jobs {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> folders(const std::string& container, const std::string& volumes) {
  const json::Document job =
      json::parse_yaml(
          "{apiVersion: batch.tensorstack.dev/v1beta1, kind: PyTorchTrainingJob, metadata: {name: m}, "
          "spec: {replicaSpecs: [{type: worker, replicas: 1, template: {spec: {containers: [{name: p, "
          "image: i, " +
          container + "}], volumes: " + volumes + "}}}]}}")
          ->front()
          .value;
  std::vector<std::string> out;
  for (const WritableFolder& folder : writable_folders(job)) {
    std::string line = folder.claim + ":" + folder.path;
    for (const std::string& named : folder.named) line += " " + named;
    out.push_back(line);
  }
  return out;
}

const std::string kClaim = "[{name: work, persistentVolumeClaim: {claimName: data}}]";

TEST(WritableFolders, AreTheClaimsThatAJobCanWriteTo) {
  EXPECT_THAT(folders("volumeMounts: [{name: work, mountPath: /work}, {name: work, mountPath: /again}]", kClaim),
              ElementsAre("data:"));
  EXPECT_THAT(folders("volumeMounts: [{name: work, mountPath: /work, subPath: a/b}]", kClaim), ElementsAre("data:a/b"));
  EXPECT_THAT(folders("volumeMounts: [{name: work, mountPath: /work, readOnly: true}]", kClaim), ElementsAre());
  EXPECT_THAT(folders("volumeMounts: [{name: work, mountPath: /work}]",
                      "[{name: work, persistentVolumeClaim: {claimName: data, readOnly: true}}]"),
              ElementsAre());
  EXPECT_THAT(folders("volumeMounts: [{name: work, mountPath: /work}]", "[{name: work, emptyDir: {}}]"), ElementsAre());
}

TEST(WritableFolders, BeginWithWhatArgumentsName) {
  const std::string mount = ", volumeMounts: [{name: work, mountPath: /work, subPath: sub}]";
  EXPECT_THAT(folders("workingDir: /work/project, command: [python, train.py, --logdir, out/tb, --output_dir=/work/x, "
                      "--log-dir, /elsewhere, --save_dir, ../../etc]" +
                          mount,
                      kClaim),
              ElementsAre("data:sub sub/project/out/tb sub/x"));
  EXPECT_THAT(folders("workingDir: /work, args: [--logdir, ., --logdir]" + mount, kClaim), ElementsAre("data:sub sub"));
}

TEST(WritableFolders, OfSomethingElseAreNone) {
  EXPECT_TRUE(writable_folders(json::Object{{"kind", "Pod"}, {"apiVersion", "v1"}}).empty());
  EXPECT_TRUE(
      writable_folders(json::Object{{"kind", "PyTorchJob"}, {"apiVersion", "kubeflow.org/v1"}, {"spec", 3}}).empty());
}

TEST(HostNames, AreThoseOfThePodsOfEachRole) {
  const auto of = [](const std::string& kind, const std::string& name, const std::string& spec) {
    return host_names(json::parse_yaml("{apiVersion: " + kind + ", metadata: {name: " + name + "}, spec: " + spec + "}")
                          ->front()
                          .value);
  };
  const std::string pods = "template: {spec: {containers: [{name: pytorch, image: i}]}}";
  EXPECT_THAT(of("kubeflow.org/v1, kind: PyTorchJob", "a",
                 "{pytorchReplicaSpecs: {Master: {" + pods + "}, Worker: {replicas: 12, " + pods + "}}}"),
              ElementsAre("a-master-", "a-worker-"));
  const std::string named = "template: {spec: {hostname: box, containers: [{name: pytorch, image: i}]}}";
  const std::string training = "batch.tensorstack.dev/v1beta1, kind: PyTorchTrainingJob";
  EXPECT_THAT(of(training, "a", "{replicaSpecs: [{type: worker, replicas: 2, " + named + "}]}"), ElementsAre("box"));
  EXPECT_THAT(of(training, std::string(63, 'a'), "{replicaSpecs: [{type: worker, replicas: 2, " + pods + "}]}"),
              ElementsAre())
      << "the pod has the machine's name";
}

}  // namespace
}  // namespace muster::jobs
