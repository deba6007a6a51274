// What is rejected in a Pod is rejected in every template that pods are made from, for the same reason and at the same
// path below the template. A job with a template that no pod can be made from would wait forever.
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "api/resource.h"
#include "json/document.h"
#include "testing/engine_fixture.h"

namespace muster::apiserver {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

/// Additional members of the metadata, spec and container of a pod, and the field whose error is expected.
struct OddPod {
  std::string where;
  std::string metadata = {};
  std::string spec = {};
  std::string container = {};

  /// The members that a Pod and a template have in common.
  std::string text(const std::string& container_name) const {
    const auto more = [](const std::string& members) { return members.empty() ? "" : "," + members; };
    return fmt::format(R"({{"metadata":{{"name":"p"{}}},"spec":{{"containers":[{{"name":"{}","image":"i"{}}}]{}}}}})",
                       more(metadata), container_name, more(container), more(spec));
  }
};

OddPod metadata(std::string where, std::string members) {
  return {.where = "metadata." + std::move(where), .metadata = std::move(members)};
}
OddPod spec(std::string where, std::string members) {
  return {.where = "spec." + std::move(where), .spec = std::move(members)};
}
OddPod container(std::string where, std::string members) {
  return {.where = "spec.containers[0]." + std::move(where), .container = std::move(members)};
}
OddPod volume(std::string where, const std::string& source) {
  return spec("volumes[0]." + std::move(where), R"("volumes":[{"name":"v",)" + source + "}]");
}
OddPod mount(std::string where, const std::string& members) {
  OddPod odd = container("volumeMounts[0]." + std::move(where), R"("volumeMounts":[{"name":"v",)" + members + "}]");
  odd.spec = R"("volumes":[{"name":"v","emptyDir":{}}])";
  return odd;
}
OddPod mounted_at(const std::string& path) {
  return mount("mountPath", R"("mountPath":")" + path + R"(")");
}

std::string repeated(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

std::vector<OddPod> odd_metadata() {
  return {
      metadata("labels", R"("labels":{"a b":"c"})"),
      metadata("labels", R"("labels":{"a":"not a value"})"),
      metadata("labels", R"("labels":{"-/a":"b"})"),
      metadata("annotations", R"("annotations":{"a b":"c"})"),
  };
}

std::vector<OddPod> odd_specs() {
  return {
      spec("restartPolicy", R"("restartPolicy":"Sometimes")"),
      spec("terminationGracePeriodSeconds", R"("terminationGracePeriodSeconds":"soon")"),
      spec("activeDeadlineSeconds", R"("activeDeadlineSeconds":0)"),
      spec("activeDeadlineSeconds", R"("activeDeadlineSeconds":"1h")"),
      spec("dnsPolicy", R"("dnsPolicy":"Mine")"),
      spec("dnsConfig", R"("dnsPolicy":"None")"),
      spec("nodeName", R"("nodeName":"A_B")"),
      spec("serviceAccountName", R"("serviceAccountName":"A B")"),
      spec("hostname", R"("hostname":"a.b")"),
      spec("subdomain", R"("subdomain":"a_b")"),
      spec("nodeSelector", R"("nodeSelector":{"a b":"c"})"),
      spec("nodeSelector", R"("nodeSelector":"gpu")"),
      spec("hostNetwork", R"("hostNetwork":"yes")"),
      spec("os", R"("os":{"name":"beos"})"),
      spec("imagePullSecrets", R"("imagePullSecrets":"mine")"),
      spec("securityContext.runAsUser", R"("securityContext":{"runAsUser":-1})"),
      spec("securityContext.runAsUser", R"("securityContext":{"runAsUser":"root"})"),
      spec("securityContext.supplementalGroups[0]", R"("securityContext":{"supplementalGroups":[-1]})"),
      spec("tolerations", R"("tolerations":"all")"),
      spec("tolerations[0].operator", R"("tolerations":[{"key":"a","operator":"Like"}])"),
      spec("tolerations[0].effect", R"("tolerations":[{"key":"a","operator":"Exists","effect":"Maybe"}])"),
      spec("tolerations[0].operator", R"("tolerations":[{"operator":"Equal","value":"x"}])"),
      spec("topologySpreadConstraints[0].maxSkew",
           R"("topologySpreadConstraints":[{"maxSkew":0,"topologyKey":"k","whenUnsatisfiable":"DoNotSchedule"}])"),
      spec("affinity", R"("affinity":"near")"),
      spec(
          "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms",
          R"("affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[]}}})"),
      spec("affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight",
           R"("affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":)"
           R"([{"weight":0,"preference":{}}]}})"),
      spec("affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey",
           R"("affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"labelSelector":{}}]}})"),
      spec("initContainers[0].image", R"("initContainers":[{"name":"first"}])"),
      spec("initContainers[0].name", R"("initContainers":[{"name":"a b","image":"i"}])"),
      spec("initContainers[0].livenessProbe",
           R"("initContainers":[{"name":"first","image":"i","livenessProbe":{"exec":{"command":["a"]}}}])"),
      spec("volumes[0].name", R"("volumes":[{"name":"a b","emptyDir":{}}])"),
      spec("volumes[0].name", R"("volumes":[{"name":"","emptyDir":{}}])"),
      spec("initContainers[0].name", R"("initContainers":[{"name":"","image":"i"}])"),
      spec("volumes[1].name", R"("volumes":[{"name":"v","emptyDir":{}},{"name":"v","emptyDir":{}}])"),
  };
}

std::vector<OddPod> odd_volumes() {
  return {
      volume("hostPath.path", R"("hostPath":{"path":""})"),
      volume("hostPath.path", R"("hostPath":{"path":"/a/../b"})"),
      volume("hostPath.type", R"("hostPath":{"path":"/a","type":"Folder"})"),
      volume("secret.secretName", R"("secret":{})"),
      volume("secret.defaultMode", R"("secret":{"secretName":"s","defaultMode":1000})"),
      volume("configMap.name", R"("configMap":{})"),
      volume("configMap.items[0].path", R"("configMap":{"name":"c","items":[{"key":"k","path":"../p"}]})"),
      volume("configMap", R"("configMap":"c")"),
      volume("nfs.path", R"("nfs":{"server":"s","path":"p"})"),
      volume("hostPath", R"("emptyDir":{},"hostPath":{"path":"/a"})"),
      volume("emptyDir.sizeLimit", R"("emptyDir":{"sizeLimit":"-1"})"),
      volume("emptyDir.sizeLimit", R"("emptyDir":{"sizeLimit":"big"})"),
      volume("persistentVolumeClaim.claimName", R"("persistentVolumeClaim":{"claimName":""})"),
      mounted_at(""),
      mounted_at("data"),
      mounted_at("/"),
      mounted_at("//."),
      mounted_at("/proc"),
      mounted_at("/proc/self"),
      mounted_at("/sys"),
      mounted_at("//dev/"),
      mounted_at("/dev/nvidia0"),
      mounted_at("/a/../proc"),
      mounted_at("/a\\u0000b"),
      mounted_at("/" + std::string(256, 'a')),
      mounted_at(repeated("/folder", 600)),
      mount("name", R"("name":"w","mountPath":"/a")"),
      mount("subPath", R"("mountPath":"/a","subPath":"/b")"),
      mount("subPath", R"("mountPath":"/a","subPath":"a/../../b")"),
      mount("subPathExpr", R"("mountPath":"/a","subPath":"a","subPathExpr":"b")"),
  };
}

std::vector<OddPod> odd_containers() {
  return {
      container("image", R"("image":" i ")"),
      container("imagePullPolicy", R"("imagePullPolicy":"Sometimes")"),
      container("terminationMessagePolicy", R"("terminationMessagePolicy":"Log")"),
      container("restartPolicy", R"("restartPolicy":"Always")"),
      container("command", R"("command":"python train.py")"),
      container("command[0]", R"("command":["a\u0000b"])"),
      container("args[1]", R"("args":["a","\u0000"])"),
      container("workingDir", R"("workingDir":"/a\u0000")"),
      container("terminationMessagePath", R"("terminationMessagePath":"/a\u0000")"),
      container("env[0].value", R"("env":[{"name":"A","value":"a\u0000b"}])"),
      container("env[0].name", R"("env":[{"name":"","value":"a"}])"),
      container("env[0].name", R"("env":[{"name":"A=B","value":"a"}])"),
      container("env[0].value", R"("env":[{"name":"A","value":1}])"),
      container("env[0].valueFrom", R"("env":[{"name":"A","valueFrom":{}}])"),
      container("env[0].valueFrom", R"("env":[{"name":"A","value":"a","valueFrom":{"fieldRef":)"
                                    R"({"fieldPath":"metadata.name"}}}])"),
      container("env[0].valueFrom.fieldRef.fieldPath",
                R"("env":[{"name":"A","valueFrom":{"fieldRef":{"fieldPath":"spec.what"}}}])"),
      container("env[0].valueFrom.secretKeyRef.key",
                R"("env":[{"name":"A","valueFrom":{"secretKeyRef":{"name":"s","key":""}}}])"),
      container("envFrom", R"("envFrom":[{}])"),
      container("envFrom[0].secretRef.name", R"("envFrom":[{"secretRef":{}}])"),
      container("ports[0].containerPort", R"("ports":[{"containerPort":0}])"),
      container("ports[0].containerPort", R"("ports":[{"containerPort":65536}])"),
      container("ports[0].name", R"("ports":[{"containerPort":1,"name":"Web_Port"}])"),
      container("ports[1].name", R"("ports":[{"containerPort":1,"name":"a"},{"containerPort":2,"name":"a"}])"),
      container("ports[0].protocol", R"("ports":[{"containerPort":1,"protocol":"ICMP"}])"),
      container("ports[0].hostPort", R"("ports":[{"containerPort":1,"hostPort":70000}])"),
      container("ports[1].hostPort", R"("ports":[{"containerPort":1,"hostPort":5},{"containerPort":2,"hostPort":5}])"),
      container("resources.limits.cpu", R"("resources":{"limits":{"cpu":"lots"}})"),
      container("resources.limits[cpu]", R"("resources":{"limits":{"cpu":"-1"}})"),
      container("resources.limits[gpu]", R"("resources":{"limits":{"gpu":"1"}})"),
      container("resources.limits[nvidia.com/gpu]", R"("resources":{"limits":{"nvidia.com/gpu":"500m"}})"),
      container("resources.limits", R"("resources":{"requests":{"nvidia.com/gpu":"1"}})"),
      container("resources.requests", R"("resources":{"limits":{"memory":"1Gi"},"requests":{"memory":"2Gi"}})"),
      container("resources", R"("resources":{"limits":{"hugepages-2Mi":"2Mi"}})"),
      container("securityContext.runAsUser", R"("securityContext":{"runAsUser":-1})"),
      container("securityContext.privileged", R"("securityContext":{"privileged":"yes"})"),
      container("livenessProbe", R"("livenessProbe":{})"),
      container("livenessProbe.tcpSocket", R"("livenessProbe":{"exec":{"command":["a"]},"tcpSocket":{"port":1}})"),
      container("livenessProbe.successThreshold", R"("livenessProbe":{"exec":{"command":["a"]},"successThreshold":2})"),
      container("readinessProbe.httpGet.port", R"("readinessProbe":{"httpGet":{"port":0}})"),
      container("readinessProbe.periodSeconds", R"("readinessProbe":{"tcpSocket":{"port":1},"periodSeconds":-1})"),
      container("startupProbe.exec.command", R"("startupProbe":{"exec":{}})"),
      container("startupProbe", R"("startupProbe":"curl")"),
      container("lifecycle.preStop", R"("lifecycle":{"preStop":{}})"),
      container("tty", R"("tty":"yes")"),
  };
}

std::vector<OddPod> odd_pods() {
  std::vector<OddPod> all = odd_metadata();
  for (const auto& part : {odd_specs(), odd_volumes(), odd_containers()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// A kind with a template: the name of its container, its spec with the placeholder TEMPLATE, and the path of that.
struct Holder {
  std::string api_version;
  std::string kind;
  std::string container;
  std::string spec;
  std::string path;
};

const std::vector<Holder>& holders() {
  static const char* const kTensorStack = "batch.tensorstack.dev/v1beta1";
  static const std::vector<Holder> all = {
      {kTensorStack, "PyTorchTrainingJob", "pytorch", R"({"replicaSpecs":[{"type":"worker","template":TEMPLATE}]})",
       "spec.replicaSpecs[0].template"},
      {kTensorStack, "TensorFlowTrainingJob", "tensorflow",
       R"({"replicaSpecs":[{"type":"worker","template":TEMPLATE}]})", "spec.replicaSpecs[0].template"},
      {kTensorStack, "XGBoostTrainingJob", "xgboost", R"({"replicaSpecs":[{"type":"master","template":TEMPLATE}]})",
       "spec.replicaSpecs[0].template"},
      {kTensorStack, "MPIJob", "worker",
       R"({"mpiConfig":{"script":["p"]},"replicaSpecs":[{"type":"worker","template":TEMPLATE},)"
       R"({"type":"launcher","template":{}}]})",
       "spec.replicaSpecs[0].template"},
      {kTensorStack, "MPIJob", "launcher",
       R"({"mpiConfig":{"script":["p"]},"replicaSpecs":[{"type":"worker","template":{"spec":{"containers":)"
       R"([{"name":"worker","image":"i"}]}}},{"type":"launcher","template":TEMPLATE}]})",
       "spec.replicaSpecs[1].template"},
      {kTensorStack, "MPIJob", "worker", R"({"worker":{"cmd":["p"],"template":TEMPLATE}})", "spec.worker.template"},
      {kTensorStack, "GenericJob", "any",
       R"({"successRules":[{"a":[0]}],"replicaSpecs":[{"type":"a","template":TEMPLATE}]})",
       "spec.replicaSpecs[0].template"},
      {"kubeflow.org/v1", "PyTorchJob", "pytorch", R"({"pytorchReplicaSpecs":{"Worker":{"template":TEMPLATE}}})",
       "spec.pytorchReplicaSpecs.Worker.template"},
      {"kubeflow.org/v1", "TFJob", "tensorflow", R"({"tfReplicaSpecs":{"Worker":{"template":TEMPLATE}}})",
       "spec.tfReplicaSpecs.Worker.template"},
      {"kubeflow.org/v1", "MPIJob", "any", R"({"mpiReplicaSpecs":{"Launcher":{"template":TEMPLATE}}})",
       "spec.mpiReplicaSpecs.Launcher.template"},
      {"kubeflow.org/v2beta1", "MPIJob", "any", R"({"mpiReplicaSpecs":{"Launcher":{"template":TEMPLATE}}})",
       "spec.mpiReplicaSpecs.Launcher.template"},
      {"apps.kubedl.io/v1alpha1", "Cron", "pytorch",
       R"({"schedule":"@daily","template":{"apiVersion":"kubeflow.org/v1","kind":"PyTorchJob","workload":)"
       R"({"spec":{"pytorchReplicaSpecs":{"Worker":{"template":TEMPLATE}}}}}})",
       "spec.template.workload.spec.pytorchReplicaSpecs.Worker.template"},
      {"tensorstack.dev/v1beta1", "Notebook", "notebook", R"({"type":"jupyter","template":TEMPLATE})", "spec.template"},
  };
  return all;
}

bool holds_templates(const reflect::TypeDesc& type) {
  if (type.name == "PodTemplateSpec") return true;
  if (type.element != nullptr) return holds_templates(type.element());
  return std::ranges::any_of(type.fields,
                             [](const reflect::FieldDesc& field) { return holds_templates(field.type()); });
}

class PodTemplates : public Engine {
 protected:
  std::shared_ptr<Recorder> make_pod(const std::string& pod) {
    return call("POST", std::string(kPods) + "?dryRun=All", pod);
  }
  std::shared_ptr<Recorder> make(const Holder& holder, const std::string& pod_template) {
    const api::Resource& resource = *api::find_kind(holder.api_version, holder.kind);
    std::string spec = holder.spec;
    spec.replace(spec.find("TEMPLATE"), std::string_view("TEMPLATE").size(), pod_template);
    const std::string path =
        fmt::format("/apis/{}/namespaces/default/{}?dryRun=All", holder.api_version, resource.plural);
    return call("POST", path,
                fmt::format(R"({{"apiVersion":"{}","kind":"{}","metadata":{{"name":"j"}},"spec":{}}})",
                            holder.api_version, holder.kind, spec));
  }
};

struct Fault {
  std::string reason;
  std::string field;
};

/// A schema writes the key of a map as a member, a rule writes it in brackets; both mean the same field.
std::string with_members(std::string field) {
  for (const char* role : {"Worker", "Launcher"}) {
    if (const auto at = field.find(fmt::format("[{}]", role)); at != std::string::npos) {
      field.replace(at, std::string_view(role).size() + 2, fmt::format(".{}", role));
    }
  }
  return field;
}

std::vector<Fault> faults(const Recorder& answer) {
  std::vector<Fault> out;
  const auto body = json::parse(answer.body);
  for (const json::Document& cause : body->array_at("details", "causes")) {
    out.push_back({cause.string_at("reason"), with_members(cause.string_at("field"))});
  }
  return out;
}

TEST_F(PodTemplates, EveryKindThatHasThemIsTried) {
  for (const api::Resource& resource : api::resources()) {
    if (resource.kind == "Deployment" || !holds_templates(*resource.type)) continue;
    EXPECT_TRUE(std::ranges::any_of(holders(), [&](const Holder& holder) {
      return holder.kind == resource.kind && holder.api_version == resource.api_version();
    })) << resource.qualified_name();
  }
}

TEST_F(PodTemplates, WhatIsRightIsAccepted) {
  const OddPod plain = mounted_at("/dev/shm");
  EXPECT_EQ(make_pod(plain.text("c"))->status, 201);
  for (const Holder& holder : holders()) {
    const auto answer = make(holder, plain.text(holder.container));
    EXPECT_EQ(answer->status, 201) << holder.kind << ": " << answer->body;
  }
}

TEST_F(PodTemplates, WhatIsRefusedInAPodIsRefusedInEveryTemplate) {
  for (const OddPod& odd : odd_pods()) {
    const auto pod = make_pod(odd.text("c"));
    EXPECT_THAT(pod->status, AnyOf(400, 422)) << odd.text("c");
    EXPECT_THAT(pod->body, HasSubstr(odd.where)) << odd.text("c");
    for (const Holder& holder : holders()) {
      const std::string text = holder.kind + ": " + odd.text(holder.container);
      const auto job = make(holder, odd.text(holder.container));
      EXPECT_EQ(job->status, 422) << text << job->body;
      const std::vector<Fault> found = faults(*job);
      // For a duplicate key the schema of a custom resource reports the item of the list, a Pod the key itself.
      const auto same = std::ranges::find_if(
          found, [&](const Fault& fault) { return (holder.path + "." + odd.where).starts_with(fault.field); });
      ASSERT_NE(same, found.end()) << text << job->body;
      if (pod->status == 422) {
        EXPECT_EQ(same->reason, faults(*pod)[0].reason) << text << job->body;
      } else {
        EXPECT_THAT(same->reason, AnyOf("FieldValueTypeInvalid", "FieldValueInvalid")) << text << job->body;
      }
    }
  }
}

TEST_F(PodTemplates, NameAPriorityClassThatExists) {
  const OddPod odd = spec("priorityClassName", R"("priorityClassName":"urgent")");
  EXPECT_EQ(make_pod(odd.text("c"))->status, 403);
  for (const Holder& holder : holders()) {
    const auto answer = make(holder, odd.text(holder.container));
    ASSERT_EQ(answer->status, 422) << holder.kind << answer->body;
    EXPECT_EQ(faults(*answer)[0].reason, "FieldValueNotFound");
    EXPECT_EQ(faults(*answer)[0].field, holder.path + "." + odd.where);
  }
  const auto made =
      call("POST", "/apis/scheduling.k8s.io/v1/priorityclasses", R"({"metadata":{"name":"urgent"},"value":1000})");
  ASSERT_EQ(made->status, 201) << made->body;
  for (const Holder& holder : holders()) {
    EXPECT_EQ(make(holder, odd.text(holder.container))->status, 201) << holder.kind;
  }
}

TEST_F(PodTemplates, KeepAPriorityClassThatWasDeleted) {
  const std::string classes = "/apis/scheduling.k8s.io/v1/priorityclasses";
  const std::string jobs = "/apis/kubeflow.org/v1/namespaces/default/pytorchjobs";
  ASSERT_EQ(call("POST", classes, R"({"metadata":{"name":"urgent"},"value":1000})")->status, 201);
  const std::string pod = spec("", R"("priorityClassName":"urgent")").text("pytorch");
  const auto made = call("POST", jobs,
                         R"({"apiVersion":"kubeflow.org/v1","kind":"PyTorchJob","metadata":{"name":"j"},)"
                         R"("spec":{"pytorchReplicaSpecs":{"Worker":{"template":)" +
                             pod + "}}}}");
  ASSERT_EQ(made->status, 201) << made->body;
  ASSERT_EQ(call("DELETE", classes + "/urgent")->status, 200);
  EXPECT_EQ(call("PATCH", jobs + "/j", R"({"spec":{"runPolicy":{"suspend":true}}})")->status, 200);
}

TEST_F(PodTemplates, WhatAnOlderVersionStoredCanBeLabelledReportedOnAndDeleted) {
  const std::string path = "/apis/batch.tensorstack.dev/v1beta1/namespaces/default/pytorchtrainingjobs/old";
  const OddPod odd = mounted_at("data");
  bool stored = false;
  store_->put(
      {"pytorchtrainingjobs.batch.tensorstack.dev", "default", "old"}, 0,
      [&](store::Revision revision) {
        return store::Rendered{
            fmt::format(
                R"({{"apiVersion":"batch.tensorstack.dev/v1beta1","kind":"PyTorchTrainingJob","metadata":)"
                R"({{"name":"old","namespace":"default","uid":"u","resourceVersion":"{}","finalizers":["a/b"]}},)"
                R"("spec":{{"replicaSpecs":[{{"type":"worker","replicas":1,"template":{}}}]}}}})",
                revision, odd.text("pytorch")),
            {}};
      },
      [&](Result<store::Entry> result) { stored = result.has_value(); });
  until([&] { return stored; });
  EXPECT_EQ(call("PATCH", path, R"({"metadata":{"labels":{"a":"b"}}})")->status, 200);
  EXPECT_EQ(call("PATCH", path + "/status", R"({"status":{"phase":"Failed"}})")->status, 200);
  EXPECT_EQ(call("PATCH", path, R"({"spec":{"runPolicy":{"cleanUpPolicy":"All"}}})")->status, 422);
  EXPECT_EQ(call("DELETE", path)->status, 200);
  EXPECT_EQ(call("PATCH", path, R"({"metadata":{"finalizers":null}})")->status, 200);
  EXPECT_EQ(call("GET", path)->status, 404);
}

}  // namespace
}  // namespace muster::apiserver
