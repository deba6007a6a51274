// Every kind beyond the first two: defaults, rules over several fields, status, versions, columns.
#include <fmt/core.h>

#include "api/resource.h"
#include "contract_fixture.h"

namespace muster::contract {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

/// A kind in its smallest valid form: its path, its spec, and what defaults add to it.
struct Smallest {
  const char* api_version;
  const char* kind;
  const char* spec;
  const char* stored;  // the spec with defaults
};

constexpr const char* kPod = R"({"spec":{"containers":[{"name":"c","image":"i"}]}})";

std::string with_pod(std::string text, const std::string& container = "c") {
  std::string pod = kPod;
  pod.replace(pod.find("\"c\""), 3, "\"" + container + "\"");
  for (std::size_t at = 0; (at = text.find("POD")) != std::string::npos;) text.replace(at, 3, pod);
  return text;
}

const std::vector<Smallest>& smallest() {
  static const std::vector<Smallest> kinds = {
      {"batch.tensorstack.dev/v1beta1", "TensorFlowTrainingJob",
       R"({"replicaSpecs":[{"type":"worker","template":POD}]})",
       R"({"replicaSpecs":[{"type":"worker","replicas":1,"restartPolicy":"OnFailure","template":POD}],)"
       R"("runPolicy":{"backoffLimit":3,"cleanUpPolicy":"None"}})"},
      {"batch.tensorstack.dev/v1beta1", "XGBoostTrainingJob", R"({"replicaSpecs":[{"type":"master","template":POD}]})",
       R"({"replicaSpecs":[{"type":"master","replicas":1,"restartPolicy":"OnFailure","template":POD}],)"
       R"("runPolicy":{"backoffLimit":3,"cleanUpPolicy":"None"}})"},
      {"batch.tensorstack.dev/v1beta1", "MPIJob",
       R"({"mpiConfig":{"script":["python"]},"ssh":{},"replicaSpecs":[{"type":"worker","replicas":2,"template":POD},)"
       R"({"type":"launcher","template":{}}]})",
       R"({"mpiConfig":{"script":["python"]},"ssh":{"sshdPath":"/usr/sbin/sshd"},"replicaSpecs":[)"
       R"({"type":"worker","replicas":2,"restartPolicy":"OnFailure","template":POD},)"
       R"({"type":"launcher","replicas":1,"restartPolicy":"OnFailure","template":{}}],)"
       R"("runPolicy":{"cleanUpWorkers":false}})"},
      {"batch.tensorstack.dev/v1beta1", "GenericJob",
       R"({"successRules":[{"a":[0]}],"replicaSpecs":[{"type":"a","template":POD}]})",
       R"({"successRules":[{"a":[0]}],"cleanUpPolicy":"None","replicaSpecs":[{"type":"a","replicas":1,)"
       R"("restartPolicy":{"policy":"OnFailure","limit":0},"template":POD}]})"},
      {"kubeflow.org/v1", "TFJob", R"({"tfReplicaSpecs":{"Worker":{"template":POD}}})",
       R"({"tfReplicaSpecs":{"Worker":{"replicas":1,"restartPolicy":"Never","template":POD}},)"
       R"("runPolicy":{"cleanPodPolicy":"None","suspend":false}})"},
      {"kubeflow.org/v1", "MPIJob", R"({"cleanPodPolicy":"Running","mpiReplicaSpecs":{"Launcher":{"template":POD}}})",
       R"({"slotsPerWorker":1,"cleanPodPolicy":"Running","runPolicy":{"suspend":false},)"
       R"("mpiReplicaSpecs":{"Launcher":{"template":POD}}})"},
      {"kubeflow.org/v2beta1", "MPIJob",
       R"({"mpiImplementation":"Intel","mpiReplicaSpecs":{"Launcher":{"template":POD},)"
       R"("Worker":{"replicas":2,"template":POD}}})",
       R"({"slotsPerWorker":1,"mpiImplementation":"Intel","runLauncherAsWorker":false,)"
       R"("sshAuthMountPath":"/root/.ssh","runPolicy":{"suspend":false},)"
       R"("mpiReplicaSpecs":{"Launcher":{"template":POD},"Worker":{"replicas":2,"template":POD}}})"},
      {"tensorstack.dev/v1beta1", "TensorBoard", R"({"logDir":{"pvc":[{"name":"mnist","subPath":["./log"]}]}})",
       R"({"logDir":{"pvc":[{"name":"mnist","subPath":["./log"]}]}})"},
      {"tensorstack.dev/v1beta1", "Notebook", R"({"template":POD})", R"({"type":"jupyter","template":POD})"},
      {"scheduler.tensorstack.dev/v1beta1", "PodGroup", R"({"minMember":2})", R"({"minMember":2,"queue":"default"})"},
      {"apps.kubedl.io/v1alpha1", "Cron",
       R"({"schedule":"*/5 * * * *","template":{"apiVersion":"kubeflow.org/v1","kind":"TFJob","workload":)"
       R"({"spec":{"tfReplicaSpecs":{"Worker":{"template":POD}}}}}})",
       R"({"schedule":"*/5 * * * *","concurrencyPolicy":"Allow","suspend":false,"historyLimit":10,)"
       R"("template":{"apiVersion":"kubeflow.org/v1","kind":"TFJob","workload":)"
       R"({"spec":{"tfReplicaSpecs":{"Worker":{"template":POD}}}}}})"},
  };
  return kinds;
}

std::string container_of(std::string_view kind) {
  if (kind == "TensorFlowTrainingJob" || kind == "TFJob" || kind == "Cron") return "tensorflow";
  return kind == "XGBoostTrainingJob" ? "xgboost" : "worker";
}

std::string object_of(const Smallest& kind, const std::string& name) {
  return fmt::format(R"({{"apiVersion":"{}","kind":"{}","metadata":{{"name":"{}"}},"spec":{}}})", kind.api_version,
                     kind.kind, name, with_pod(kind.spec, container_of(kind.kind)));
}

std::string list_of(const Smallest& kind, const std::string& ns) {
  return fmt::format("/apis/{}/namespaces/{}/{}", kind.api_version, ns,
                     api::find_kind(kind.api_version, kind.kind)->plural);
}

TEST_P(ApiContract, EveryKindHasItsDefaults) {
  int number = 0;
  for (const Smallest& kind : smallest()) {
    const std::string name = fmt::format("k{}", ++number);
    const Answer made = post(list_of(kind, ns_) + "?fieldValidation=Strict", object_of(kind, name));
    ASSERT_EQ(made.code, 201) << made.text;
    EXPECT_EQ(at(made.body, "spec"), *json::parse(with_pod(kind.stored, container_of(kind.kind)))) << made.text;
    EXPECT_EQ(made.body.string_at("apiVersion"), kind.api_version);
    EXPECT_EQ(made.body.int_at("metadata", "generation"), 1);
    EXPECT_EQ(get(list_of(kind, ns_) + "/" + name).body, made.body);
  }
}

TEST_P(ApiContract, EveryKindHasAStatusOfItsOwn) {
  int number = 0;
  for (const Smallest& kind : smallest()) {
    const std::string name = fmt::format("k{}", ++number);
    ASSERT_EQ(post(list_of(kind, ns_), object_of(kind, name)).code, 201);
    const std::string object = list_of(kind, ns_) + "/" + name;
    const std::string status =
        std::string_view(kind.kind) == "Cron"
            ? R"({"status":{"lastScheduleTime":"2026-01-02T03:04:05Z"},"spec":{"suspend":true}})"
            : R"({"status":{"conditions":[{"type":"Running","status":"True"}]},"spec":{"scheduler":null}})";
    const Answer changed = patch(object + "/status", status);
    ASSERT_EQ(changed.code, 200) << kind.kind << changed.text;
    EXPECT_EQ(at(changed.body, "spec"), at(get(object).body, "spec"));
    EXPECT_EQ(changed.body.int_at("metadata", "generation"), 1);
    EXPECT_FALSE(at(get(object).body, "status").is_null());
    const Answer kept = patch(object, R"({"status":null})");
    EXPECT_EQ(at(kept.body, "status"), at(changed.body, "status")) << kind.kind;
  }
}

TEST_P(ApiContract, EveryKindPrintsTheColumnsOfItsDefinition) {
  int number = 0;
  for (const Smallest& kind : smallest()) {
    const std::string name = fmt::format("k{}", ++number);
    const Answer made = post(list_of(kind, ns_), object_of(kind, name));
    ASSERT_EQ(made.code, 201) << made.text;
    if (std::string_view(kind.kind) != "Cron") {
      ASSERT_EQ(patch(list_of(kind, ns_) + "/" + name + "/status",
                      R"({"status":{"conditions":[{"type":"Ready","status":"True"},{"type":"Last","status":"True"}]}})")
                    .code,
                200);
    }
    const Answer rows = table(list_of(kind, ns_) + "/" + name);
    const api::Resource& resource = *api::find_kind(kind.api_version, kind.kind);
    const json::Array& columns = at(rows.body, "columnDefinitions").as_array();
    ASSERT_EQ(columns.size(), resource.columns.size() + 1) << rows.text;
    for (std::size_t i = 0; i < resource.columns.size(); ++i) {
      EXPECT_EQ(columns[i + 1].string_at("name"), resource.columns[i].name);
      EXPECT_EQ(columns[i + 1].string_at("type"), resource.columns[i].type);
      EXPECT_EQ(columns[i + 1].string_at("description"), resource.columns[i].description);
      EXPECT_EQ(columns[i + 1].int_at("priority"), resource.columns[i].priority);
    }
    EXPECT_EQ(at(rows.body, "rows", 0, "cells", 0), Document(name));
    EXPECT_EQ(at(rows.body, "rows", 0, "cells").as_array().size(), columns.size());
    if (resource.group == "kubeflow.org" && resource.is_storage) {
      const int place = resource.kind == "MPIJob" ? 2 : 1;
      EXPECT_EQ(at(rows.body, "rows", 0, "cells", place), Document("Last")) << rows.text;
    }
    if (resource.kind == "PodGroup") {
      EXPECT_EQ(at(rows.body, "rows", 0, "cells", 2), Document(2));
    }
    if (resource.kind == "Cron") {
      EXPECT_EQ(at(rows.body, "rows", 0, "cells", 1), Document("*/5 * * * *"));
      EXPECT_EQ(at(rows.body, "rows", 0, "cells", 2), Document(false));
      EXPECT_EQ(at(rows.body, "rows", 0, "cells", 3), Document());
    }
  }
}

TEST_P(ApiContract, OnlyPyTorchJobsScaleAmongJobs) {
  for (const Smallest& kind : smallest()) EXPECT_EQ(get(list_of(kind, ns_) + "/x/scale").code, 404) << kind.kind;
  ASSERT_EQ(post(kubeflow("pytorchjobs"), pytorch_job("j")).code, 201);
  const Answer scale = get(kubeflow("pytorchjobs/j/scale"));
  EXPECT_EQ(scale.code, 200);
  EXPECT_EQ(scale.body.int_at("spec", "replicas"), 2);
}

/// A spec that breaks rules over several fields, and the causes that each server gives for it.
struct Broken {
  const char* api_version;
  const char* kind;
  const char* spec;
  std::vector<std::string> causes;
};

TEST_P(ApiContract, RulesOverSeveralFieldsAreTheSame) {
  const std::vector<Broken> all = {
      {"batch.tensorstack.dev/v1beta1",
       "TensorFlowTrainingJob",
       R"({"replicaSpecs":[{"type":"chief","replicas":2,"template":POD}]})",
       {"FieldValueInvalid spec.replicaSpecs"}},
      {"batch.tensorstack.dev/v1beta1",
       "TensorFlowTrainingJob",
       R"({"replicaSpecs":[{"type":"ps","template":POD}]})",
       {"FieldValueRequired spec.replicaSpecs"}},
      {"batch.tensorstack.dev/v1beta1",
       "TensorFlowTrainingJob",
       R"({"replicaSpecs":[{"type":"wrker","template":POD}]})",
       {"FieldValueNotSupported spec.replicaSpecs[0].type", kRulesNotChecked}},
      {"batch.tensorstack.dev/v1beta1",
       "XGBoostTrainingJob",
       R"({"replicaSpecs":[{"type":"worker","template":POD}]})",
       {"FieldValueRequired spec.replicaSpecs"}},
      {"batch.tensorstack.dev/v1beta1",
       "MPIJob",
       R"({})",
       {"FieldValueRequired spec.replicaSpecs", "FieldValueRequired spec.mpiConfig"}},
      {"batch.tensorstack.dev/v1beta1",
       "MPIJob",
       R"({"mpiConfig":{"script":["p"],"mca":{"a":"b"},"home":"/h","extraArgs":["-N","1"]},"mca":{"a":"b"},)"
       R"("mpiHome":"/h","worker":{"cmd":["p"],"extraMPIArgs":["-N","1"],"template":POD},)"
       R"("replicaSpecs":[{"type":"worker","template":POD},{"type":"launcher","template":{}}]})",
       {"FieldValueForbidden spec.worker", "FieldValueForbidden spec.mca", "FieldValueForbidden spec.mpiHome",
        "FieldValueForbidden spec.worker.cmd", "FieldValueForbidden spec.worker.extraMPIArgs"}},
      {"batch.tensorstack.dev/v1beta1",
       "MPIJob",
       R"({"mpiConfig":{"script":["p"]},"replicaSpecs":[{"type":"worker","replicas":0,"template":POD}]})",
       {"FieldValueRequired spec.replicaSpecs", "FieldValueRequired spec.replicaSpecs"}},
      {"kubeflow.org/v1",
       "TFJob",
       R"({"tfReplicaSpecs":{"Chief":{"template":POD},"Master":{"template":POD}}})",
       {"FieldValueForbidden spec.tfReplicaSpecs"}},
      {"kubeflow.org/v1",
       "TFJob",
       R"({"successPolicy":"AllWorker","tfReplicaSpecs":{"Worker":{"template":POD}}})",
       {"FieldValueNotSupported spec.successPolicy", kRulesNotChecked}},
      {"kubeflow.org/v2beta1",
       "MPIJob",
       R"({"mpiReplicaSpecs":{"Worker":{"template":POD}}})",
       {"FieldValueRequired spec.mpiReplicaSpecs", "FieldValueInvalid spec.mpiReplicaSpecs"}},
      {"kubeflow.org/v1",
       "MPIJob",
       R"({"mpiReplicaSpecs":{"Launcher":{"replicas":2,"template":POD}}})",
       {"FieldValueInvalid spec.mpiReplicaSpecs"}},
      {"tensorstack.dev/v1beta1", "TensorBoard", R"({"logDir":{}})", {"FieldValueInvalid spec.logDir"}},
      {"scheduler.tensorstack.dev/v1beta1",
       "PodGroup",
       R"({"minMember":1,"roles":[{"name":"a","minMember":2}]})",
       {"FieldValueInvalid spec.minMember"}},
      {"apps.kubedl.io/v1alpha1",
       "Cron",
       R"({"schedule":"* *","template":{"apiVersion":"v","kind":"k"}})",
       {"FieldValueInvalid spec.schedule"}},
  };
  for (const Broken& broken : all) {
    const Smallest kind{broken.api_version, broken.kind, broken.spec, ""};
    const Answer refused = post(list_of(kind, ns_), object_of(kind, "k"));
    EXPECT_EQ(refused.code, 422) << broken.kind << broken.spec << refused.text;
    EXPECT_THAT(refused.causes(), ::testing::UnorderedElementsAreArray(broken.causes)) << refused.text;
  }
}

TEST_P(ApiContract, RuleMessagesAreTheSame) {
  const Smallest kind{"kubeflow.org/v1", "TFJob",
                      R"({"tfReplicaSpecs":{"Chief":{"template":POD},"Master":{"template":POD}}})", ""};
  const Answer refused = post(list_of(kind, ns_), object_of(kind, "k"));
  EXPECT_EQ(refused.message(),
            "TFJob.kubeflow.org \"k\" is invalid: spec.tfReplicaSpecs: Forbidden: must not have both Chief and Master");
  const Smallest board{"tensorstack.dev/v1beta1", "TensorBoard", R"({"logDir":{}})", ""};
  EXPECT_EQ(
      post(list_of(board, ns_), object_of(board, "k")).message(),
      "TensorBoard.tensorstack.dev \"k\" is invalid: spec.logDir: Invalid value: \"object\": must have pvc, s3 or "
      "http");
}

TEST_P(ApiContract, BothVersionsOfMpiJobsShowTheSameObject) {
  const Smallest& old_form = smallest()[5];
  const Smallest& new_form = smallest()[6];
  const std::string old_list = list_of(old_form, ns_);
  const std::string new_list = list_of(new_form, ns_);
  auto tail = watch(new_list + "?watch=true");
  const Answer made = post(old_list, object_of(old_form, "m"));
  ASSERT_EQ(made.code, 201) << made.text;
  EXPECT_EQ(made.body.string_at("apiVersion"), "kubeflow.org/v1");
  const Answer seen = get(new_list + "/m");
  EXPECT_EQ(seen.body.string_at("apiVersion"), "kubeflow.org/v2beta1");
  EXPECT_EQ(seen.body.string_at("metadata", "uid"), made.body.string_at("metadata", "uid"));
  EXPECT_EQ(seen.version(), made.version());
  EXPECT_EQ(at(seen.body, "spec"), at(made.body, "spec"));
  const Answer listed = get(new_list);
  EXPECT_EQ(listed.body.string_at("apiVersion"), "kubeflow.org/v2beta1");
  EXPECT_EQ(at(listed.body, "items", 0, "apiVersion"), Document("kubeflow.org/v2beta1"));
  const WatchEvent event = tail->next();
  EXPECT_EQ(event.type, "ADDED");
  EXPECT_EQ(event.object.string_at("apiVersion"), "kubeflow.org/v2beta1");

  Answer changed = patch(new_list + "/m", R"({"spec":{"slotsPerWorker":3}})");
  ASSERT_EQ(changed.code, 200) << changed.text;
  EXPECT_EQ(changed.body.string_at("apiVersion"), "kubeflow.org/v2beta1");
  EXPECT_EQ(changed.body.int_at("metadata", "generation"), 2);
  EXPECT_EQ(get(old_list + "/m").body.int_at("spec", "slotsPerWorker"), 3);
  EXPECT_EQ(get(old_list + "/m").body.string_at("apiVersion"), "kubeflow.org/v1");
  const Answer same = patch(new_list + "/m", R"({"spec":{"slotsPerWorker":3}})");
  EXPECT_EQ(same.version(), changed.version());
  changed.body["spec"]["slotsPerWorker"] = 4;
  EXPECT_EQ(put(new_list + "/m", changed.body).code, 200);
  EXPECT_EQ(put(old_list + "/m", changed.body).code, 400);  // the other version's path
  EXPECT_EQ(remove(new_list + "/m").code, 200);
  EXPECT_EQ(get(old_list + "/m").code, 404);
}

TEST_P(ApiContract, QueuesAreOfTheWholeCluster) {
  const std::string queues = "/apis/scheduler.tensorstack.dev/v1beta1/queues";
  const auto queue = [&](const std::string& spec) {
    return fmt::format(
        R"({{"apiVersion":"scheduler.tensorstack.dev/v1beta1","kind":"Queue","metadata":{{"name":"{}"}},"spec":{}}})",
        ns_, spec);
  };
  const Answer refused = post(queues, queue(R"({"priority":101,"maxDuration":"1h1d"})"));
  EXPECT_EQ(refused.code, 422);
  EXPECT_THAT(refused.causes(),
              UnorderedElementsAre("FieldValueInvalid spec.priority", "FieldValueInvalid spec.maxDuration"));
  const Answer made = post(
      queues, queue(R"({"priority":7,"maxDuration":"1d12h","quota":{"requests":{"nvidia.com/gpu":8,"cpu":"64"}}})"));
  ASSERT_EQ(made.code, 201) << made.text;
  EXPECT_TRUE(made.body.bool_at("spec", "preemptible"));
  const Answer rows = table(queues + "/" + ns_);
  EXPECT_EQ(at(rows.body, "rows", 0, "cells", 1), Document(7));
  EXPECT_EQ(at(rows.body, "rows", 0, "cells", 2), Document(false));
  EXPECT_EQ(remove(queues + "/" + ns_).code, 200);
  if (is_ours()) {
    EXPECT_EQ(get(queues + "/default").code, 200);
  }
}

TEST_P(ApiContract, WhoMakesWhatNothingActsOnIsTold) {
  if (!is_ours()) GTEST_SKIP() << "a cluster does not know which operators it has";
  const Answer told = post(list_of(smallest()[4], ns_), object_of(smallest()[4], "k"));
  ASSERT_EQ(told.code, 201);
  EXPECT_EQ(told.headers.get("Warning"), "299 - \"TFJob is stored but nothing acts on it yet in this version\"");
  EXPECT_EQ(post(kubeflow("pytorchjobs"), pytorch_job("j")).headers.get("Warning"), "");
}

TEST_P(ApiContract, DefinitionsAreEstablishedAndSmallEnoughToApply) {
  for (const api::Resource& resource : api::resources()) {
    if (!resource.has_own_crd()) continue;
    const Answer found = get("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/" + resource.qualified_name());
    ASSERT_EQ(found.code, 200) << found.text;
    std::vector<std::string> conditions;
    for (const Document& condition : at(found.body, "status", "conditions").as_array()) {
      conditions.push_back(condition.string_at("type") + " " + condition.string_at("status"));
    }
    EXPECT_THAT(conditions, UnorderedElementsAre("Established True", "NamesAccepted True")) << resource.kind;
    EXPECT_LT(json::serialize(api::crd(resource)).size(), 262144u);
    EXPECT_EQ(at(found.body, "status", "acceptedNames", "kind"), Document(resource.kind));
    EXPECT_EQ(at(found.body, "status", "storedVersions", 0), Document(resource.version));
    const Answer rows = table("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/" + resource.qualified_name());
    EXPECT_EQ(at(rows.body, "columnDefinitions", 1, "name"), Document("Created At"));
    EXPECT_EQ(at(rows.body, "rows", 0, "cells", 1), at(found.body, "metadata", "creationTimestamp"));
  }
}

}  // namespace
}  // namespace muster::contract
