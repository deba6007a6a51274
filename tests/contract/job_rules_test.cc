// The rules for jobs: older spellings, rules over several fields, immutable fields. Most of them are in our
// CustomResourceDefinitions as well, so Kubernetes gives the same responses.
#include <fmt/core.h>

#include "api/resource.h"
#include "contract_fixture.h"

namespace muster::contract {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAreArray;

constexpr const char* kTensorStack = "batch.tensorstack.dev/v1beta1";
constexpr const char* kKubeflow = "kubeflow.org/v1";
constexpr const char* kKubeflow2 = "kubeflow.org/v2beta1";
constexpr const char* kBoards = "tensorstack.dev/v1beta1";

/// Replaces POD(name) by a template with one container of that name.
std::string with_pods(std::string text) {
  for (std::size_t at = 0; (at = text.find("POD(")) != std::string::npos;) {
    const auto end = text.find(')', at);
    const std::string name = text.substr(at + 4, end - at - 4);
    text.replace(at, end - at + 1, R"({"spec":{"containers":[{"image":"i","name":")" + name + R"("}]}})");
  }
  return text;
}

struct Given {
  const char* api_version;
  const char* kind;
  std::string spec;

  std::string list(const std::string& ns) const {
    return fmt::format("/apis/{}/namespaces/{}/{}", api_version, ns, api::find_kind(api_version, kind)->plural);
  }
  std::string object(const std::string& name) const {
    return fmt::format(R"({{"apiVersion":"{}","kind":"{}","metadata":{{"name":"{}"}},"spec":{}}})", api_version, kind,
                       name, with_pods(spec));
  }
};

TEST_P(ApiContract, OlderSpellingsStayAsTheyWereWritten) {
  const Given job{kTensorStack, "PyTorchTrainingJob",
                  R"({"torchrunConfig":{"enable":true},"runMode":{"pause":{"enable":true}},)"
                  R"("tensorboardSpec":{"logDir":{"pvc":[{"name":"p","subpath":["./log"]}]}},)"
                  R"("replicaSpecs":[{"type":"worker","template":POD(pytorch)}]})"};
  const std::string path = job.list(ns_) + "/j";
  const Answer made = post(job.list(ns_) + "?fieldValidation=Strict", job.object("j"));
  ASSERT_EQ(made.code, 201) << made.text;
  EXPECT_EQ(at(made.body, "spec", "torchrunConfig"), *json::parse(R"({"enable":true,"rdzvBackend":"c10d"})"));
  EXPECT_EQ(at(made.body, "spec", "runMode"), *json::parse(R"({"pause":{"enable":true}})"));
  EXPECT_EQ(at(made.body, "spec", "tensorboardSpec", "logDir", "pvc", 0, "subpath", 0), Document("./log"));
  EXPECT_THAT(json::serialize(at(made.body, "metadata", "managedFields", 0, "fieldsV1", "f:spec", "f:torchrunConfig")),
              HasSubstr("f:enable\""));

  const Answer patched = patch(path, R"({"spec":{"torchrunConfig":{"enable":false}}})");
  ASSERT_EQ(patched.code, 200) << patched.text;
  EXPECT_EQ(at(patched.body, "spec", "torchrunConfig", "enable"), Document(false));
  EXPECT_EQ(at(patched.body, "spec", "torchrunConfig", "enabled"), Document());
  EXPECT_EQ(patched.body.int_at("metadata", "generation"), 2);

  const auto apply = [&](const char* enable) {
    return patch(path + "?fieldManager=a&force=true",
                 fmt::format(R"({{"apiVersion":"{}","kind":"{}","metadata":{{"name":"j"}},)"
                             R"("spec":{{"runMode":{{"pause":{{"enable":{}}}}}}}}})",
                             kTensorStack, job.kind, enable),
                 kApply);
  };
  for (const char* enable : {"false", "true"}) {
    const Answer applied = apply(enable);
    ASSERT_EQ(applied.code, 200) << applied.text;
    EXPECT_EQ(at(applied.body, "spec", "runMode", "pause"), *json::parse(fmt::format(R"({{"enable":{}}})", enable)));
  }
}

TEST_P(ApiContract, BothSpellingsMustSayTheSame) {
  const auto job = [](const char* config) {
    return Given{
        kTensorStack, "PyTorchTrainingJob",
        fmt::format(R"({{"torchrunConfig":{},"replicaSpecs":[{{"type":"worker","template":POD(pytorch)}}]}})", config)};
  };
  const Given same = job(R"({"enable":true,"enabled":true})");
  EXPECT_EQ(post(same.list(ns_), same.object("same")).code, 201);
  const Given other = job(R"({"enable":true,"enabled":false})");
  const Answer refused = post(other.list(ns_), other.object("other"));
  EXPECT_EQ(refused.code, 422);
  EXPECT_EQ(refused.message(),
            "PyTorchTrainingJob.batch.tensorstack.dev \"other\" is invalid: spec.torchrunConfig.enable: Invalid value: "
            "\"object\": enable and enabled must not differ; enable is the older spelling of enabled");
}

TEST_P(ApiContract, WhoUsesWhatIsOutOfDateIsTold) {
  if (!is_ours()) GTEST_SKIP() << "a definition can be out of date only as a whole";
  const Given old{kTensorStack, "PyTorchTrainingJob",
                  R"({"torchrunConfig":{"enable":true},"replicaSpecs":[{"type":"a","template":POD(pytorch)}]})"};
  EXPECT_EQ(post(old.list(ns_), old.object("old")).headers.get("Warning"),
            "299 - \"spec.torchrunConfig.enable: deprecated; use enabled\"");
  EXPECT_EQ(patch(old.list(ns_) + "/old", R"({"metadata":{"labels":{"a":"b"}}})").headers.get("Warning"),
            "299 - \"spec.torchrunConfig.enable: deprecated; use enabled\"");
  EXPECT_EQ(patch(old.list(ns_) + "/old/status", R"({"status":{"backoffCount":1}})").headers.get("Warning"), "");
  const Given elastic{kKubeflow, "PyTorchJob",
                      R"({"runPolicy":{"suspend":true},"elasticPolicy":{"nProcPerNode":2},)"
                      R"("pytorchReplicaSpecs":{"Worker":{"template":POD(pytorch)}}})"};
  EXPECT_EQ(post(elastic.list(ns_), elastic.object("e")).headers.get("Warning"),
            "299 - \"spec.elasticPolicy.nProcPerNode: deprecated; use spec.nprocPerNode\"");
}

TEST_P(ApiContract, WhoWritesWhatIsHardlyMeantIsTold) {
  if (!is_ours()) GTEST_SKIP() << "Kubernetes has no operators here that would say it";
  const Given job{kTensorStack, "PyTorchTrainingJob",
                  R"({"runMode":{"pause":{"enabled":true}},)"
                  R"("replicaSpecs":[{"type":"a","restartPolicy":"Always","template":POD(pytorch)}]})"};
  EXPECT_THAT(std::string(post(job.list(ns_), job.object("j")).headers.get("Warning")),
              HasSubstr("spec.replicaSpecs[0].restartPolicy: Always restarts the deciding replica"));
  // The warning is not repeated on an update that does not change the field.
  EXPECT_EQ(patch(job.list(ns_) + "/j", R"({"metadata":{"labels":{"a":"b"}}})").headers.get("Warning"), "");
}

TEST_P(ApiContract, JobsOfAQueueThatIsNotThereGetAWarning) {
  if (!is_ours()) GTEST_SKIP() << "a definition cannot look at other objects";
  const auto job = [](const char* queue) {
    return Given{
        kTensorStack, "PyTorchTrainingJob",
        fmt::format(R"({{"scheduler":{{"t9kScheduler":{{"queue":"{}"}}}},"runMode":{{"pause":{{"enabled":true}}}},)"
                    R"("replicaSpecs":[{{"type":"a","template":POD(pytorch)}}]}})",
                    queue)};
  };
  const Given wrong = job("defualt");
  const Answer warned = post(wrong.list(ns_), wrong.object("j"));
  EXPECT_EQ(warned.code, 201);
  EXPECT_THAT(std::string(warned.headers.get("Warning")),
              HasSubstr("spec.scheduler.t9kScheduler.queue: queue \\\"defualt\\\" does not exist, the default queue is "
                        "used; did you mean \\\"default\\\"?"));
  const auto set_queue = [&](const char* queue) {
    return std::string(patch(wrong.list(ns_) + "/j",
                             fmt::format(R"({{"spec":{{"scheduler":{{"t9kScheduler":{{"queue":"{}"}}}}}}}})", queue))
                           .headers.get("Warning"));
  };
  EXPECT_EQ(set_queue("default"), "");
  EXPECT_THAT(set_queue("none"), HasSubstr("create it or use another one"));
  EXPECT_EQ(patch(wrong.list(ns_) + "/j", R"({"metadata":{"labels":{"a":"b"}}})").headers.get("Warning"), "");
}

/// A spec that is rejected, and the causes that both servers give.
struct Refused {
  Given given;
  std::vector<std::string> causes;
};

std::string elastic(const char* config, const char* torchrun = R"({"enabled":true})") {
  return fmt::format(
      R"({{"elastic":{},"torchrunConfig":{},"replicaSpecs":[{{"type":"worker","template":POD(pytorch)}}]}})", config,
      torchrun);
}

std::vector<Refused> refused_tensorstack_jobs() {
  return {
      {{kTensorStack, "PyTorchTrainingJob", elastic(R"({"enable":true,"minReplicas":1,"maxReplicas":2})", "{}")},
       {"FieldValueInvalid spec.elastic.enabled"}},
      {{kTensorStack, "PyTorchTrainingJob", elastic(R"({"enabled":true,"minReplicas":3,"maxReplicas":2})")},
       {"FieldValueInvalid spec.elastic.maxReplicas"}},
      {{kTensorStack, "PyTorchTrainingJob",
        elastic(R"({"enabled":true,"minReplicas":2,"maxReplicas":3,"expectedReplicas":4})", R"({"enable":true})")},
       {"FieldValueInvalid spec.elastic.expectedReplicas"}},
      {{kTensorStack, "PyTorchTrainingJob",
        elastic(R"({"enabled":true,"minReplicas":2,"maxReplicas":3,"expectedReplicas":1})")},
       {"FieldValueInvalid spec.elastic.expectedReplicas"}},
      {{kTensorStack, "PyTorchTrainingJob", elastic(R"({"enabled":true})")},
       {"FieldValueRequired spec.elastic.minReplicas", "FieldValueRequired spec.elastic.maxReplicas"}},
      {{kTensorStack, "PyTorchTrainingJob", R"({"replicaSpecs":[{"type":"worker","template":{}}]})"},
       {"FieldValueRequired spec.replicaSpecs[0].template.spec.containers"}},
      {{kTensorStack, "PyTorchTrainingJob", R"({"replicaSpecs":[{"type":"worker","replicas":0,"template":POD(c)}]})"},
       {"FieldValueInvalid spec.replicaSpecs"}},
      {{kTensorStack, "PyTorchTrainingJob",
        R"({"torchrunConfig":{"procPerNode":0},"replicaSpecs":[{"type":"worker","template":POD(c)}]})"},
       {"FieldValueInvalid spec.torchrunConfig.procPerNode"}},
      {{kTensorStack, "GenericJob", R"({"replicaSpecs":[{"type":"worker","replicas":0,"template":POD(c)}]})"},
       {"FieldValueInvalid spec.replicaSpecs"}},
      {{kTensorStack, "MPIJob", R"({"worker":{"cmd":["a"],"template":{}}})"},
       {"FieldValueRequired spec.worker.template.spec.containers"}},
      {{kTensorStack, "MPIJob",
        R"({"ssh":{"authMountPath":"/a","sshAuthMountPath":"/b"},"worker":{"cmd":["a"],"template":POD(worker)}})"},
       {"FieldValueInvalid spec.ssh.authMountPath"}},
      {{kTensorStack, "PyTorchTrainingJob",
        R"({"tensorboardSpec":{"trainingLogFilesets":["t9k://pvc/p/../../etc"]},)"
        R"("replicaSpecs":[{"type":"worker","template":POD(c)}]})"},
       {"FieldValueInvalid spec.tensorboardSpec.trainingLogFilesets[0]"}},
      {{kBoards, "TensorBoard",
        R"({"trainingLogFilesets":["t9k://pvc/","t9k://minio/x","t9k://nfs/x","t9k://pvc/p/..","t9k://pvc/good/log"]})"},
       {"FieldValueInvalid spec.trainingLogFilesets[0]", "FieldValueInvalid spec.trainingLogFilesets[1]",
        "FieldValueInvalid spec.trainingLogFilesets[2]", "FieldValueInvalid spec.trainingLogFilesets[3]"}},
      {{kBoards, "TensorBoard",
        R"({"logDir":{"pvc":[{"name":"p","subPath":["a/../b","..c/./d"],"subpath":["a/../b","..c/./d"]}]}})"},
       {"FieldValueInvalid spec.logDir.pvc[0].subPath[0]", "FieldValueInvalid spec.logDir.pvc[0].subpath[0]"}},
      {{"apps.kubedl.io/v1alpha1", "Cron", R"({"schedule":"99 * * * *","template":{"apiVersion":"v","kind":"k"}})"},
       {"FieldValueInvalid spec.schedule"}},
      {{"apps.kubedl.io/v1alpha1", "Cron", R"({"schedule":"@every","template":{"apiVersion":"v","kind":"k"}})"},
       {"FieldValueInvalid spec.schedule"}},
  };
}

std::vector<Refused> refused_kubeflow_jobs() {
  const char* worker = R"("Worker":{"template":POD(pytorch)})";
  return {
      {{kKubeflow, "PyTorchJob", R"({"pytorchReplicaSpecs":{"Master":{"replicas":2,"template":POD(pytorch)}}})"},
       {"FieldValueInvalid spec.pytorchReplicaSpecs[Master].replicas"}},
      {{kKubeflow, "PyTorchJob", R"({"pytorchReplicaSpecs":{"Worker":{"replicas":0,"template":POD(pytorch)}}})"},
       {"FieldValueInvalid spec.pytorchReplicaSpecs[Worker].replicas"}},
      {{kKubeflow, "TFJob",
        R"({"tfReplicaSpecs":{"chief":{"template":POD(tensorflow)},"MASTER":{"template":POD(tensorflow)}}})"},
       {"FieldValueForbidden spec.tfReplicaSpecs"}},
      {{kKubeflow, "PyTorchJob", R"({"pytorchReplicaSpecs":{"Worker":{}}})"},
       {"FieldValueRequired spec.pytorchReplicaSpecs[Worker].template.spec.containers"}},
      {{kKubeflow, "PyTorchJob", R"({"pytorchReplicaSpecs":{}})"}, {"FieldValueRequired spec.pytorchReplicaSpecs"}},
      {{kKubeflow, "PyTorchJob", R"({"elasticPolicy":{},"pytorchReplicaSpecs":{"Master":{"template":POD(pytorch)}}})"},
       {"FieldValueRequired spec.pytorchReplicaSpecs[Worker]"}},
      {{kKubeflow, "PyTorchJob",
        fmt::format(R"({{"elasticPolicy":{{"minReplicas":3,"maxReplicas":2}},"pytorchReplicaSpecs":{{{}}}}})", worker)},
       {"FieldValueInvalid spec.elasticPolicy.maxReplicas"}},
      {{kKubeflow, "PyTorchJob",
        fmt::format(R"({{"nprocPerNode":"2","elasticPolicy":{{"nProcPerNode":2}},"pytorchReplicaSpecs":{{{}}}}})",
                    worker)},
       {"FieldValueForbidden spec.elasticPolicy.nProcPerNode"}},
      {{kKubeflow, "TFJob", R"({"tfReplicaSpecs":{"Chief":{"replicas":2,"template":POD(tensorflow)}}})"},
       {"FieldValueInvalid spec.tfReplicaSpecs[Chief].replicas"}},
      {{kKubeflow, "TFJob", R"({"tfReplicaSpecs":{}})"}, {"FieldValueRequired spec.tfReplicaSpecs"}},
      {{kKubeflow, "TFJob", R"({"tfReplicaSpecs":{"Worker":{"replicas":0,"template":POD(tensorflow)}}})"},
       {"FieldValueInvalid spec.tfReplicaSpecs"}},
      {{kKubeflow2, "MPIJob", R"({"mpiReplicaSpecs":{"Launcher":{"restartPolicy":"Always","template":POD(c)}}})"},
       {"FieldValueNotSupported spec.mpiReplicaSpecs.Launcher.restartPolicy", kRulesNotChecked}},
      {{kKubeflow2, "MPIJob", R"({"sshAuthMountPath":"","mpiReplicaSpecs":{"Launcher":{"template":POD(c)}}})"},
       {"FieldValueInvalid spec.sshAuthMountPath"}},
  };
}

TEST_P(ApiContract, RulesOfJobsAreTheSame) {
  std::vector<Refused> all = refused_tensorstack_jobs();
  for (Refused& one : refused_kubeflow_jobs()) all.push_back(std::move(one));
  for (const Refused& one : all) {
    const Answer answer = post(one.given.list(ns_), one.given.object("k"));
    EXPECT_EQ(answer.code, 422) << one.given.kind << one.given.spec << answer.text;
    EXPECT_THAT(answer.causes(), UnorderedElementsAreArray(one.causes)) << one.given.spec << answer.text;
  }
}

TEST_P(ApiContract, UnknownRolesAndNamesThatAreNoLabelsAreRefused) {
  // The causes differ: ours name the role and the nearest known one, and explain what a label is.
  for (const Given& job :
       {Given{kKubeflow, "PyTorchJob", R"({"pytorchReplicaSpecs":{"PS":{"template":POD(pytorch)}}})"},
        Given{kKubeflow, "PyTorchJob",
              R"({"pytorchReplicaSpecs":{"Worker":{"template":POD(pytorch)},"WORKER":{"template":POD(pytorch)}}})"},
        Given{kKubeflow, "TFJob", R"({"tfReplicaSpecs":{"Wroker":{"template":POD(tensorflow)}}})"},
        Given{kKubeflow2, "MPIJob",
              R"({"mpiReplicaSpecs":{"Launcher":{"template":POD(c)},"w":{"template":POD(c)}}})"}}) {
    const Answer answer = post(job.list(ns_), job.object("k"));
    EXPECT_EQ(answer.code, 422) << job.kind << answer.text;
  }
  for (const Given& job :
       {Given{kKubeflow, "PyTorchJob", R"({"pytorchReplicaSpecs":{"Worker":{"template":POD(pytorch)}}})"},
        Given{kKubeflow, "TFJob", R"({"tfReplicaSpecs":{"Worker":{"template":POD(tensorflow)}}})"},
        Given{kKubeflow, "MPIJob", R"({"mpiReplicaSpecs":{"Launcher":{"template":POD(c)}}})"}}) {
    for (const std::string& name : {std::string("1a"), std::string("a.b"), std::string(64, 'a')}) {
      const Answer answer = post(job.list(ns_), job.object(name));
      EXPECT_EQ(answer.code, 422) << job.kind << name << answer.text;
      EXPECT_THAT(answer.causes(), ElementsAre("FieldValueInvalid metadata.name")) << answer.text;
    }
  }
}

TEST_P(ApiContract, WhatJobsMaySayIsTaken) {
  int number = 0;
  for (const Given& job :
       {Given{kTensorStack, "MPIJob",
              R"({"mpiConfig":{"script":[]},"runMode":{"debug":{"enable":true}},)"
              R"("replicaSpecs":[{"type":"worker","template":POD(worker)},{"type":"launcher","template":{}}]})"},
        Given{kTensorStack, "TensorFlowTrainingJob", R"({"replicaSpecs":[{"type":"worker","template":POD(main)}]})"},
        Given{kKubeflow, "PyTorchJob",
              R"({"pytorchReplicaSpecs":{"master":{"template":POD(pytorch)},"WORKER":{"template":POD(pytorch)}}})"},
        Given{kKubeflow, "TFJob", R"({"tfReplicaSpecs":{"ps":{"template":POD(tensorflow)}}})"},
        Given{kKubeflow2, "MPIJob",
              R"({"mpiReplicaSpecs":{"launcher":{"template":POD(c)},"WORKER":{"replicas":1,"template":POD(c)}}})"},
        Given{kKubeflow, "MPIJob",
              R"({"mpiReplicaSpecs":{"Launcher":{"template":POD(c)},"Worker":{"replicas":0,"template":POD(c)}}})"},
        Given{kKubeflow, "MPIJob",
              R"({"mpiReplicaSpecs":{"Launcher":{"template":POD(c)},"Worker":{"template":POD(c)}}})"},
        Given{kKubeflow2, "MPIJob",
              R"({"runPolicy":{"activeDeadlineSeconds":0},"mpiReplicaSpecs":{"Launcher":{"template":POD(c)}}})"},
        Given{"apps.kubedl.io/v1alpha1", "Cron",
              R"({"schedule":"@every 5m","template":{"apiVersion":"kubeflow.org/v1","kind":"TFJob","workload":)"
              R"({"spec":{"tfReplicaSpecs":{"Worker":{"template":POD(tensorflow)}}}}}})"},
        Given{"apps.kubedl.io/v1alpha1", "Cron",
              R"({"schedule":"TZ=UTC 0,30 8-18/2 ? jan-Jun MON-fri","template":{"apiVersion":"kubeflow.org/v1",)"
              R"("kind":"TFJob","workload":{"spec":{"tfReplicaSpecs":{"Worker":{"template":POD(tensorflow)}}}}}})"}}) {
    const Answer made = post(job.list(ns_) + "?fieldValidation=Strict", job.object(fmt::format("k{}", ++number)));
    EXPECT_EQ(made.code, 201) << job.kind << job.spec << made.text;
  }
}

/// A change to a job that may have immutable fields.
struct Change {
  Given given;
  const char* patch;
  std::vector<std::string> causes;  // empty: it is accepted
};

TEST_P(ApiContract, WhatIsImmutableNeitherChangesNorComesNorGoes) {
  const char* roles = R"("replicaSpecs":[{"type":"a","template":POD(pytorch)}])";
  const auto job = [&](const char* part) {
    return Given{kTensorStack, "PyTorchTrainingJob", fmt::format("{{{},{}}}", part, roles)};
  };
  const Given paused = job(R"("runMode":{"pause":{"enabled":true}})");
  const Given resuming = job(R"("runMode":{"pause":{"enabled":true,"resumeSpecs":[{"type":"a","args":["x"]}]}})");
  const Given elastic = job(R"("runMode":{"pause":{"enabled":true}},"torchrunConfig":{"enabled":true},)"
                            R"("elastic":{"enabled":true,"minReplicas":1,"maxReplicas":3})");
  const Given board{kBoards, "TensorBoard", R"({"suspend":true,"logDir":{"pvc":[{"name":"p"}]}})"};
  const Given sized{kBoards, "TensorBoard",
                    R"({"suspend":true,"resources":{"limits":{"cpu":1}},"logDir":{"pvc":[{"name":"p"}]}})"};
  const auto kubeflow_job = [](const char* policy) {
    return Given{
        kKubeflow, "PyTorchJob",
        fmt::format(R"({{"runPolicy":{},"pytorchReplicaSpecs":{{"Worker":{{"template":POD(pytorch)}}}}}})", policy)};
  };
  const Given plain = kubeflow_job(R"({"suspend":true,"schedulingPolicy":{}})");
  const Given managed =
      kubeflow_job(R"({"suspend":true,"managedBy":"kueue.x-k8s.io/multikueue","schedulingPolicy":{"queue":"q"}})");
  const std::string resume = "FieldValueInvalid spec.runMode.pause.resumeSpecs";
  const std::string managed_by = "FieldValueInvalid spec.runPolicy.managedBy";
  const std::string queue = "FieldValueInvalid spec.runPolicy.schedulingPolicy.queue";
  const std::vector<Change> changes = {
      {paused, R"({"spec":{"runMode":{"pause":{"resumeSpecs":[{"type":"a","args":["x"]}]}}}})", {resume}},
      {resuming, R"({"spec":{"runMode":{"pause":{"resumeSpecs":[{"type":"a","args":["y"]}]}}}})", {resume}},
      {resuming, R"({"spec":{"runMode":{"pause":{"resumeSpecs":null}}}})", {resume}},
      {resuming, R"({"spec":{"runMode":{"pause":{"enabled":null,"enable":true}}}})", {}},
      {elastic, R"({"spec":{"elastic":{"minReplicas":2}}})", {"FieldValueInvalid spec.elastic.minReplicas"}},
      {elastic,
       R"({"spec":{"elastic":{"enabled":false,"minReplicas":null}}})",
       {"FieldValueInvalid spec.elastic.minReplicas"}},
      {elastic, R"({"spec":{"elastic":{"expectedReplicas":2}}})", {}},
      {board, R"({"spec":{"resources":{"limits":{"cpu":1}}}})", {"FieldValueInvalid spec.resources"}},
      {sized, R"({"spec":{"resources":{"limits":{"cpu":2}}}})", {"FieldValueInvalid spec.resources"}},
      {sized, R"({"spec":{"resources":null}})", {"FieldValueInvalid spec.resources"}},
      {plain, R"({"spec":{"runPolicy":{"managedBy":"kueue.x-k8s.io/multikueue"}}})", {managed_by}},
      {managed, R"({"spec":{"runPolicy":{"managedBy":null}}})", {managed_by}},
      {plain, R"({"spec":{"runPolicy":{"schedulingPolicy":{"queue":"q"}}}})", {}},
      {managed, R"({"spec":{"runPolicy":{"schedulingPolicy":{"queue":"r"}}}})", {queue}},
      {managed, R"({"spec":{"runPolicy":{"schedulingPolicy":{"queue":null}}}})", {queue}},
  };
  int number = 0;
  for (const Change& change : changes) {
    const std::string name = fmt::format("c{}", ++number);
    const Answer made = post(change.given.list(ns_), change.given.object(name));
    ASSERT_EQ(made.code, 201) << made.text;
    const Answer changed = patch(change.given.list(ns_) + "/" + name, change.patch);
    EXPECT_EQ(changed.code, change.causes.empty() ? 200 : 422) << change.patch << changed.text;
    EXPECT_THAT(changed.causes(), UnorderedElementsAreArray(change.causes)) << change.patch << changed.text;
  }
}

}  // namespace
}  // namespace muster::contract
