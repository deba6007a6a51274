// The values that members of built-in kinds may have: one table of fragments per kind, each with its causes.
#include <fmt/core.h>

#include "contract_fixture.h"

namespace muster::contract {
namespace {

using ::testing::UnorderedElementsAreArray;

/// An invalid fragment that is put into an otherwise valid object, and the causes reported for it.
struct Wrong {
  std::string part;
  std::vector<std::string> causes;
};

std::string deployment_of(const std::string& spec, const std::string& pod = "", const std::string& container = "") {
  return fmt::format(
      R"({{"metadata":{{"name":"d"}},"spec":{{"selector":{{"matchLabels":{{"a":"b"}}}},"template":)"
      R"({{"metadata":{{"labels":{{"a":"b"}}}},"spec":{{"containers":[{{"name":"a","image":"i"{}}}]{}}}}}{}}}}})",
      container, pod, spec);
}

std::string volume(const std::string& source) {
  return R"(,"volumes":[{"name":"v",)" + source + "}]";
}

std::string node_term(const char* reason, const char* rest) {
  return fmt::format(
      "FieldValue{} spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]."
      "matchExpressions{}",
      reason, rest);
}

const std::vector<Wrong>& wrong_pods() {
  static const std::vector<Wrong> rows = {
      {R"(,"dnsPolicy":"x")", {"FieldValueNotSupported spec.dnsPolicy"}},
      {R"(,"dnsPolicy":"None")", {"FieldValueRequired spec.dnsConfig"}},
      {R"(,"os":{"name":"mac"})", {"FieldValueNotSupported spec.os"}},
      {R"(,"os":{})", {"FieldValueRequired spec.os.name"}},
      {R"(,"securityContext":{"runAsUser":-1,"supplementalGroups":[-1]})",
       {"FieldValueInvalid spec.securityContext.runAsUser",
        "FieldValueInvalid spec.securityContext.supplementalGroups[0]"}},
      {R"(,"activeDeadlineSeconds":0)", {"FieldValueInvalid spec.activeDeadlineSeconds"}},
      {R"(,"nodeName":"A_b")", {"FieldValueInvalid spec.nodeName"}},
      {R"(,"hostname":"a.b")", {"FieldValueInvalid spec.hostname"}},
      {R"(,"subdomain":"a.b")", {"FieldValueInvalid spec.subdomain"}},
      {R"(,"serviceAccountName":"A_")", {"FieldValueInvalid spec.serviceAccountName"}},
      {R"(,"nodeSelector":{"a b":"x","c":"d e"})",
       {"FieldValueInvalid spec.nodeSelector", "FieldValueInvalid spec.nodeSelector"}},
      {R"(,"tolerations":[{},{"key":"a","operator":"X"},{"key":"a","operator":"Exists","value":"v"}])",
       {"FieldValueInvalid spec.tolerations[0].operator", "FieldValueNotSupported spec.tolerations[1].operator",
        "FieldValueInvalid spec.tolerations[2].operator"}},
      {R"(,"tolerations":[{"key":"a","effect":"X"},{"key":"a","tolerationSeconds":1},{"key":"a b"}])",
       {"FieldValueNotSupported spec.tolerations[0].effect", "FieldValueInvalid spec.tolerations[1].effect",
        "FieldValueInvalid spec.tolerations[2].key"}},
      {R"(,"topologySpreadConstraints":[{"maxSkew":0}])",
       {"FieldValueInvalid spec.topologySpreadConstraints[0].maxSkew",
        "FieldValueRequired spec.topologySpreadConstraints[0].topologyKey",
        "FieldValueNotSupported spec.topologySpreadConstraints[0].whenUnsatisfiable"}},
      {R"(,"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{}}})",
       {"FieldValueRequired spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
        "nodeSelectorTerms"}},
      {R"(,"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[)"
       R"({"matchExpressions":[{"key":"a","operator":"X"},{"key":"a","operator":"In"},{"key":"a","operator":"Exists",)"
       R"("values":["x"]},{"key":"a","operator":"Gt","values":["1","2"]},{"key":"a","operator":"Lt","values":["1"]}]}]}}})",
       {node_term("Invalid", "[0].operator"), node_term("Required", "[1].values"), node_term("Forbidden", "[2].values"),
        node_term("Required", "[3].values")}},
      {R"(,"affinity":{"podAntiAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":101,)"
       R"("podAffinityTerm":{"topologyKey":"a","labelSelector":{"matchExpressions":[{"key":"a","operator":"Gt"}]}}}]}})",
       {"FieldValueInvalid spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight",
        "FieldValueInvalid spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0]."
        "podAffinityTerm.labelSelector.matchExpressions[0].operator"}},
      {volume(R"("emptyDir":{"sizeLimit":"-1"})"), {"FieldValueForbidden spec.volumes[0].emptyDir.sizeLimit"}},
      {R"(,"initContainers":[{"name":"b","image":"i","restartPolicy":"Never"}])",
       {"FieldValueNotSupported spec.initContainers[0].restartPolicy"}},
      {R"(,"initContainers":[{"name":"b","image":"i","livenessProbe":{"exec":{"command":["a"]}}}])",
       {"FieldValueForbidden spec.initContainers[0].livenessProbe"}},
      {volume(R"("emptyDir":{},"hostPath":{"path":"/a"})"), {"FieldValueForbidden spec.volumes[0].hostPath"}},
      {volume(R"("emptyDir":{},"configMap":{"name":"a"},"secret":{"secretName":"b"})"),
       {"FieldValueForbidden spec.volumes[0].secret", "FieldValueForbidden spec.volumes[0].configMap"}},
      {volume(R"("configMap":{})"), {"FieldValueRequired spec.volumes[0].configMap.name"}},
      {volume(R"("secret":{})"), {"FieldValueRequired spec.volumes[0].secret.secretName"}},
      {volume(R"("secret":{"secretName":"a","defaultMode":9999})"),
       {"FieldValueInvalid spec.volumes[0].secret.defaultMode"}},
      {volume(R"("secret":{"secretName":"a","items":[{"key":"a","path":"../b"},{"key":"a","path":"/b"},)"
              R"({"key":"a","path":"..b"},{"path":""}]})"),
       {"FieldValueInvalid spec.volumes[0].secret.items[0].path",
        "FieldValueInvalid spec.volumes[0].secret.items[1].path",
        "FieldValueInvalid spec.volumes[0].secret.items[2].path",
        "FieldValueRequired spec.volumes[0].secret.items[3].key",
        "FieldValueRequired spec.volumes[0].secret.items[3].path"}},
      {volume(R"("persistentVolumeClaim":{"claimName":""})"),
       {"FieldValueRequired spec.volumes[0].persistentVolumeClaim.claimName"}},
      {volume(R"("hostPath":{"path":"/a","type":"Bogus"})"), {"FieldValueNotSupported spec.volumes[0].hostPath.type"}},
      {volume(R"("hostPath":{"path":"/a/../b"})"), {"FieldValueInvalid spec.volumes[0].hostPath.path"}},
      {volume(R"("nfs":{"server":"","path":"b"})"),
       {"FieldValueRequired spec.volumes[0].nfs.server", "FieldValueInvalid spec.volumes[0].nfs.path"}},
      {volume(R"("projected":{"defaultMode":9999,"sources":[{"secret":{}},{"secret":{"name":"a"},"configMap":{}}]})"),
       {"FieldValueInvalid spec.volumes[0].projected.defaultMode",
        "FieldValueRequired spec.volumes[0].projected.sources[0].secret.name",
        "FieldValueRequired spec.volumes[0].projected.sources[1].configMap.name",
        "FieldValueForbidden spec.volumes[0].projected.sources[1]"}},
  };
  return rows;
}

const std::vector<Wrong>& wrong_containers() {
  static const std::vector<Wrong> rows = {
      {R"("imagePullPolicy":"Sometimes")", {"FieldValueNotSupported C.imagePullPolicy"}},
      {R"("terminationMessagePolicy":"X")", {"FieldValueNotSupported C.terminationMessagePolicy"}},
      {R"("restartPolicy":"OnFailure")", {"FieldValueForbidden C.restartPolicy"}},
      {R"("securityContext":{"runAsUser":-1,"runAsGroup":-1})",
       {"FieldValueInvalid C.securityContext.runAsUser", "FieldValueInvalid C.securityContext.runAsGroup"}},
      {R"("ports":[{"containerPort":80,"protocol":"HTTP"}])", {"FieldValueNotSupported C.ports[0].protocol"}},
      {R"("ports":[{"containerPort":80,"hostPort":99999}])", {"FieldValueInvalid C.ports[0].hostPort"}},
      {R"("ports":[{"containerPort":80,"name":"A_B"}])",
       {"FieldValueInvalid C.ports[0].name", "FieldValueInvalid C.ports[0].name"}},
      {R"("ports":[{"containerPort":80,"name":"a--b"},{"containerPort":80,"name":"-a"},)"
       R"({"containerPort":80,"name":"abcdefghijklmnop"}])",
       {"FieldValueInvalid C.ports[0].name", "FieldValueInvalid C.ports[1].name", "FieldValueInvalid C.ports[2].name"}},
      {R"("ports":[{"containerPort":80,"name":"a"},{"containerPort":81,"name":"a"}])",
       {"FieldValueDuplicate C.ports[1].name"}},
      {R"("ports":[{"containerPort":80,"hostPort":80},{"containerPort":81,"hostPort":80},)"
       R"({"containerPort":82,"hostPort":80,"protocol":"UDP"}])",
       {"FieldValueDuplicate C.ports[1].hostPort"}},
      {R"("env":[{"name":"A","value":"1","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}])",
       {"FieldValueInvalid C.env[0].valueFrom"}},
      {R"("env":[{"name":"A","valueFrom":{}}])", {"FieldValueInvalid C.env[0].valueFrom"}},
      {R"("env":[{"name":"A","valueFrom":{"secretKeyRef":{"name":"x"}}}])",
       {"FieldValueRequired C.env[0].valueFrom.secretKeyRef.key"}},
      {R"("env":[{"name":"A","valueFrom":{"configMapKeyRef":{"name":"n","key":"a b"}}}])",
       {"FieldValueInvalid C.env[0].valueFrom.configMapKeyRef.key"}},
      {R"("env":[{"name":"A","valueFrom":{"fieldRef":{"fieldPath":"metadata.foo"}}}])",
       {"FieldValueInvalid C.env[0].valueFrom.fieldRef.fieldPath"}},
      {R"("env":[{"name":"A","valueFrom":{"fieldRef":{"fieldPath":"spec.restartPolicy"}}}])",
       {"FieldValueNotSupported C.env[0].valueFrom.fieldRef.fieldPath"}},
      {R"("env":[{"name":"A","valueFrom":{"resourceFieldRef":{"resource":"limits.foo"}}}])",
       {"FieldValueNotSupported C.env[0].valueFrom.resourceFieldRef.resource"}},
      {R"("envFrom":[{}])", {"FieldValueInvalid C.envFrom"}},
      {R"("envFrom":[{"configMapRef":{}}])", {"FieldValueRequired C.envFrom[0].configMapRef.name"}},
      {R"("livenessProbe":{"periodSeconds":1})", {"FieldValueRequired C.livenessProbe"}},
      {R"("livenessProbe":{"httpGet":{"port":80},"exec":{"command":["a"]}})",
       {"FieldValueForbidden C.livenessProbe.httpGet"}},
      {R"("livenessProbe":{"exec":{}})", {"FieldValueRequired C.livenessProbe.exec.command"}},
      {R"("readinessProbe":{"httpGet":{"port":99999,"scheme":"ftp"},"timeoutSeconds":-1})",
       {"FieldValueInvalid C.readinessProbe.httpGet.port", "FieldValueNotSupported C.readinessProbe.httpGet.scheme",
        "FieldValueInvalid C.readinessProbe.timeoutSeconds"}},
      {R"("livenessProbe":{"exec":{"command":["a"]},"successThreshold":2,"terminationGracePeriodSeconds":0})",
       {"FieldValueInvalid C.livenessProbe.successThreshold",
        "FieldValueInvalid C.livenessProbe.terminationGracePeriodSeconds"}},
      {R"("lifecycle":{"preStop":{}})", {"FieldValueRequired C.lifecycle.preStop"}},
      {R"("resources":{"limits":{"nvidia.com/gpu":"1.5"},"requests":{"nvidia.com/gpu":"1.5"}})",
       {"FieldValueInvalid C.resources.limits[nvidia.com/gpu]",
        "FieldValueInvalid C.resources.requests[nvidia.com/gpu]"}},
      {R"("resources":{"requests":{"nvidia.com/gpu":1}})", {"FieldValueRequired C.resources.limits"}},
      {R"("resources":{"limits":{"nvidia.com/gpu":2},"requests":{"nvidia.com/gpu":1}})",
       {"FieldValueInvalid C.resources.requests"}},
      {R"("resources":{"limits":{"nvidia.com/gpu":1},"requests":{"nvidia.com/gpu":2}})",
       {"FieldValueInvalid C.resources.requests"}},
      {R"("resources":{"requests":{"foo":1}})",
       {"FieldValueInvalid C.resources.requests[foo]", "FieldValueInvalid C.resources.requests[foo]"}},
      {R"("resources":{"requests":{"pods":1}})", {"FieldValueInvalid C.resources.requests[pods]"}},
      {R"("resources":{"limits":{"hugepages-2Mi":"2Mi"}})", {"FieldValueForbidden C.resources"}},
  };
  return rows;
}

std::vector<std::string> placed(std::vector<std::string> causes, const std::string& container) {
  for (std::string& cause : causes) {
    const std::size_t at = cause.find(" C.");
    if (at != std::string::npos) cause.replace(at + 1, 1, container);
  }
  return causes;
}

TEST_P(ApiContract, ValuesOfPodsThatAreRefused) {
  for (const Wrong& row : wrong_pods()) {
    const Answer refused = post(core("pods?dryRun=All"), pod_with(row.part, ""));
    EXPECT_EQ(refused.code, 422) << row.part << refused.text;
    EXPECT_THAT(refused.causes(), UnorderedElementsAreArray(row.causes)) << row.part << refused.text;
  }
}

TEST_P(ApiContract, ValuesOfContainersThatAreRefused) {
  const std::string deployments = "/apis/apps/v1/namespaces/" + ns_ + "/deployments?dryRun=All";
  for (const Wrong& row : wrong_containers()) {
    const Answer refused = post(core("pods?dryRun=All"), pod_with("", "," + row.part));
    EXPECT_EQ(refused.code, 422) << row.part << refused.text;
    EXPECT_THAT(refused.causes(), UnorderedElementsAreArray(placed(row.causes, "spec.containers[0]")))
        << row.part << refused.text;
    const Answer in_template = post(deployments, deployment_of("", "", "," + row.part));
    EXPECT_EQ(in_template.code, 422) << row.part << in_template.text;
    EXPECT_THAT(in_template.causes(), UnorderedElementsAreArray(placed(row.causes, "spec.template.spec.containers[0]")))
        << row.part << in_template.text;
  }
  EXPECT_THAT(
      post(core("pods?dryRun=All"), R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"a","image":" i "}]}})")
          .causes(),
      ::testing::ElementsAre("FieldValueInvalid spec.containers[0].image"));
  EXPECT_THAT(post(core("pods?dryRun=All"),
                   pod_with(R"(,"hostNetwork":true)", R"(,"ports":[{"containerPort":80,"hostPort":81}])"))
                  .causes(),
              ::testing::ElementsAre("FieldValueInvalid spec.containers[0].ports[0].hostPort"));
  EXPECT_THAT(post(core("pods?dryRun=All"),
                   pod_with(volume(R"("emptyDir":{})"), R"(,"volumeMounts":[{"name":"v","mountPath":""}])"))
                  .causes(),
              ::testing::ElementsAre("FieldValueRequired spec.containers[0].volumeMounts[0].mountPath"));
}

TEST_P(ApiContract, PodsOfAClassThatThereIsNot) {
  const Answer refused = post(core("pods"), pod_with(R"(,"priorityClassName":"nosuch")", ""));
  EXPECT_EQ(refused.code, 403) << refused.text;
  EXPECT_EQ(refused.reason(), "Forbidden");
  EXPECT_EQ(refused.message(), "pods \"p\" is forbidden: no PriorityClass with name nosuch was found");
  EXPECT_EQ(post(core("pods?dryRun=All"), pod_with(R"(,"priorityClassName":"system-node-critical")", "")).code, 201);
}

TEST_P(ApiContract, DefaultsDeepInPods) {
  const Answer made = post(
      core("pods?dryRun=All"),
      pod_with(R"(,"hostNetwork":true,"terminationGracePeriodSeconds":-1,"volumes":[{"name":"a"},)"
               R"({"name":"b","secret":{"secretName":"s"}},{"name":"c","configMap":{"name":"s"}},)"
               R"({"name":"d","hostPath":{"path":"/a"}},{"name":"e","downwardAPI":{"items":[{"path":"n",)"
               R"("fieldRef":{"fieldPath":"metadata.name"}}]}}])",
               R"(,"ports":[{"containerPort":80}],"livenessProbe":{"httpGet":{"port":80}},"readinessProbe":{"exec":)"
               R"({"command":["a"]},"periodSeconds":0},"env":[{"name":"A","valueFrom":{"fieldRef":{"fieldPath":)"
               R"("metadata.name"}}},{"name":"B","valueFrom":{"resourceFieldRef":{"resource":"limits.cpu"}}}])"));
  ASSERT_EQ(made.code, 201) << made.text;
  const Document& spec = at(made.body, "spec");
  EXPECT_EQ(spec.int_at("terminationGracePeriodSeconds"), 1);
  EXPECT_EQ(
      at(spec, "volumes"),
      *json::parse(R"([{"name":"a","emptyDir":{}},{"name":"b","secret":{"secretName":"s","defaultMode":420}},)"
                   R"({"name":"c","configMap":{"name":"s","defaultMode":420}},{"name":"d","hostPath":{"path":"/a",)"
                   R"("type":""}},{"name":"e","downwardAPI":{"items":[{"path":"n","fieldRef":{"apiVersion":"v1",)"
                   R"("fieldPath":"metadata.name"}}],"defaultMode":420}}])"));
  const Document& container = at(spec, "containers", 0);
  EXPECT_EQ(at(container, "ports"), *json::parse(R"([{"hostPort":80,"containerPort":80,"protocol":"TCP"}])"));
  EXPECT_EQ(at(container, "livenessProbe"),
            *json::parse(R"({"httpGet":{"path":"/","port":80,"scheme":"HTTP"},"timeoutSeconds":1,"periodSeconds":10,)"
                         R"("successThreshold":1,"failureThreshold":3})"));
  EXPECT_EQ(at(container, "readinessProbe"),
            *json::parse(R"({"exec":{"command":["a"]},"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,)"
                         R"("failureThreshold":3})"));
  EXPECT_EQ(at(container, "env"),
            *json::parse(R"([{"name":"A","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"metadata.name"}}},)"
                         R"({"name":"B","valueFrom":{"resourceFieldRef":{"resource":"limits.cpu","divisor":"0"}}}])"));
}

TEST_P(ApiContract, TemplatesOfDeploymentsLeaveToPodsWhatIsTheirs) {
  const Answer made = post("/apis/apps/v1/namespaces/" + ns_ + "/deployments?dryRun=All",
                           deployment_of("", R"(,"hostNetwork":true)",
                                         R"(,"ports":[{"containerPort":80}],"resources":{"limits":{"cpu":"1000m"}})"));
  ASSERT_EQ(made.code, 201) << made.text;
  const Document& spec = at(made.body, "spec", "template", "spec");
  EXPECT_EQ(spec.find("enableServiceLinks"), nullptr);
  EXPECT_EQ(at(spec, "containers", 0, "resources"), *json::parse(R"({"limits":{"cpu":"1"}})"));
  EXPECT_EQ(at(spec, "containers", 0, "ports"), *json::parse(R"([{"containerPort":80,"protocol":"TCP"}])"));
}

TEST_P(ApiContract, ValuesOfDeploymentsThatAreRefused) {
  const std::vector<Wrong> rows = {
      {R"(,"strategy":{"type":"Recreate","rollingUpdate":{}})", {"FieldValueForbidden spec.strategy.rollingUpdate"}},
      {R"(,"strategy":{"rollingUpdate":{"maxSurge":"x"}})", {"FieldValueInvalid spec.strategy.rollingUpdate.maxSurge"}},
      {R"(,"strategy":{"rollingUpdate":{"maxSurge":0,"maxUnavailable":0}})",
       {"FieldValueInvalid spec.strategy.rollingUpdate.maxUnavailable"}},
      {R"(,"progressDeadlineSeconds":0)", {"FieldValueInvalid spec.progressDeadlineSeconds"}},
  };
  const std::string target = "/apis/apps/v1/namespaces/" + ns_ + "/deployments?dryRun=All";
  for (const Wrong& row : rows) {
    const Answer refused = post(target, deployment_of(row.part));
    EXPECT_EQ(refused.code, 422) << row.part << refused.text;
    EXPECT_THAT(refused.causes(), UnorderedElementsAreArray(row.causes)) << row.part << refused.text;
  }
  const auto by_expression = [&](const std::string& expression) {
    Document deployment = *json::parse(deployment_of(""));
    deployment["spec"]["selector"] = *json::parse(R"({"matchExpressions":[)" + expression + "]}");
    return post(target, json::serialize(deployment));
  };
  EXPECT_EQ(by_expression(R"({"key":"a","operator":"In","values":["b","c"]})").code, 201);
  EXPECT_EQ(by_expression(R"({"key":"a","operator":"Exists"})").code, 201);
  for (const char* expression :
       {R"({"key":"a","operator":"In","values":["z"]})", R"({"key":"x","operator":"Exists"})",
        R"({"key":"a","operator":"DoesNotExist"})", R"({"key":"a","operator":"NotIn","values":["b"]})"}) {
    EXPECT_THAT(by_expression(expression).causes(),
                ::testing::ElementsAre("FieldValueInvalid spec.template.metadata.labels"))
        << expression;
  }
  EXPECT_THAT(by_expression(R"({"key":"a","operator":"Is","values":["b"]})").causes(),
              ::testing::UnorderedElementsAre("FieldValueInvalid spec.selector.matchExpressions[0].operator",
                                              "FieldValueInvalid spec.selector"));
}

/// An object of any kind: the path it is sent to, its content besides the name, and the causes reported for it.
struct Refused {
  std::string target;
  std::string rest;
  std::vector<std::string> causes;
};

TEST_P(ApiContract, ValuesOfOtherBuiltinKindsThatAreRefused) {
  const std::string claims = core("persistentvolumeclaims");
  const std::string maps = core("configmaps");
  const std::string secrets = core("secrets");
  const std::string services = core("services");
  const std::string volumes = "/api/v1/persistentvolumes";
  const std::string once = R"("accessModes":["ReadWriteOnce"])";
  const std::string gib = R"("resources":{"requests":{"storage":"1Gi"}})";
  const std::string pv = once + R"(,"capacity":{"storage":"1Gi"})";
  const std::vector<Refused> rows = {
      {claims, "", {"FieldValueRequired spec.accessModes", "FieldValueRequired spec.resources[storage]"}},
      {claims, R"("spec":{)" + gib + "}", {"FieldValueRequired spec.accessModes"}},
      {claims, R"("spec":{"accessModes":["RWX"],)" + gib + "}", {"FieldValueNotSupported spec.accessModes"}},
      {claims, R"("spec":{)" + once + "}", {"FieldValueRequired spec.resources[storage]"}},
      {claims,
       R"("spec":{)" + once + R"(,"resources":{"requests":{"storage":"0"}}})",
       {"FieldValueInvalid spec.resources[storage]"}},
      {claims,
       R"("spec":{)" + once + R"(,"resources":{"requests":{"storage":"-1Gi"}}})",
       {"FieldValueInvalid spec.resources[storage]"}},
      {claims, R"("spec":{)" + once + "," + gib + R"(,"volumeMode":"X"})", {"FieldValueNotSupported spec.volumeMode"}},
      {volumes, R"("spec":{)" + pv + "}", {"FieldValueRequired spec"}},
      {volumes,
       R"("spec":{)" + pv + R"(,"hostPath":{"path":"/a"},"nfs":{"server":"a","path":"/b"}})",
       {"FieldValueForbidden spec.nfs"}},
      {volumes,
       R"("spec":{)" + once + R"(,"capacity":{"storage":"0"},"hostPath":{"path":"/a"}})",
       {"FieldValueInvalid spec.capacity[storage]"}},
      {maps, R"("data":{"a b":"x"})", {"FieldValueInvalid data[a b]"}},
      {maps, R"("data":{"a":"x"},"binaryData":{"a":"YQ=="})", {"FieldValueInvalid data[a]"}},
      {maps, R"("data":{"a":")" + std::string(1024 * 1024 + 1, 'x') + "\"}", {"FieldValueTooLong []"}},
      {secrets, R"("data":{"a/b":"YQ=="})", {"FieldValueInvalid data[a/b]"}},
      {secrets,
       R"("type":"kubernetes.io/tls")",
       {"FieldValueRequired data[tls.crt]", "FieldValueRequired data[tls.key]"}},
      {secrets,
       R"("type":"kubernetes.io/basic-auth")",
       {"FieldValueRequired data[username]", "FieldValueRequired data[password]"}},
      {secrets,
       R"("type":"kubernetes.io/service-account-token")",
       {"FieldValueRequired metadata.annotations[kubernetes.io/service-account.name]"}},
      {secrets, R"("type":"kubernetes.io/dockerconfigjson")", {"FieldValueRequired data[.dockerconfigjson]"}},
      {secrets,
       R"("type":"kubernetes.io/dockerconfigjson","data":{".dockerconfigjson":"YQ=="})",
       {"FieldValueInvalid data[.dockerconfigjson]"}},
      {services,
       R"("spec":{"clusterIP":"None","ports":[{"port":80,"name":"a"},{"port":80,"name":"b"}]})",
       {"FieldValueDuplicate spec.ports[1]"}},
      {services,
       R"("spec":{"clusterIP":"None","sessionAffinity":"X","ports":[{"port":80}]})",
       {"FieldValueNotSupported spec.sessionAffinity"}},
      {services,
       R"("spec":{"clusterIP":"None","ports":[{"port":80,"nodePort":30000}]})",
       {"FieldValueForbidden spec.ports[0].nodePort"}},
      {services, R"("spec":{"type":"ExternalName"})", {"FieldValueRequired spec.externalName"}},
      {services,
       R"("spec":{"clusterIP":"None","ports":[{"port":80,"targetPort":99999}]})",
       {"FieldValueInvalid spec.ports[0].targetPort"}},
      {services,
       R"("spec":{"clusterIP":"None","ports":[{"port":80,"targetPort":"A_b"}]})",
       {"FieldValueInvalid spec.ports[0].targetPort"}},
      {"/api/v1/nodes",
       R"("spec":{"taints":[{"key":"a","effect":"X"}]})",
       {"FieldValueNotSupported metadata.taints[0].effect"}},
      {"/api/v1/namespaces", R"("spec":{"finalizers":["x"]})", {"FieldValueInvalid spec.finalizers"}},
      {core("events"), R"("involvedObject":{"namespace":"other"})", {"FieldValueInvalid involvedObject.namespace"}},
      {"/apis/scheduling.k8s.io/v1/priorityclasses",
       R"("value":1,"preemptionPolicy":"X")",
       {"FieldValueNotSupported preemptionPolicy"}},
  };
  for (const Refused& row : rows) {
    const std::string rest = row.rest.empty() ? "" : "," + row.rest;
    const Answer refused = post(row.target + "?dryRun=All", R"({"metadata":{"name":"x"})" + rest + "}");
    const std::string shown = row.rest.substr(0, 200);
    EXPECT_EQ(refused.code, 422) << shown << refused.text;
    EXPECT_THAT(refused.causes(), UnorderedElementsAreArray(row.causes)) << shown << refused.text;
  }
}

TEST_P(ApiContract, DefaultsOfServicesAndVolumes) {
  const Answer service = post(core("services?dryRun=All"),
                              R"({"metadata":{"name":"s"},"spec":{"clusterIP":"None","ports":[{"port":80}]}})");
  EXPECT_EQ(service.body.string_at("spec", "internalTrafficPolicy"), "Cluster") << service.text;
  const Answer named = post(core("services?dryRun=All"),
                            R"({"metadata":{"name":"s"},"spec":{"type":"ExternalName","externalName":"a.b"}})");
  EXPECT_EQ(named.body.at("spec", "internalTrafficPolicy"), nullptr) << named.text;
  const Answer volume_made = post("/api/v1/persistentvolumes?dryRun=All",
                                  R"({"metadata":{"name":"v"},"spec":{"accessModes":["ReadWriteOnce"],"capacity":)"
                                  R"({"storage":"1Gi"},"hostPath":{"path":"/a"}}})");
  EXPECT_EQ(at(volume_made.body, "spec", "hostPath"), *json::parse(R"({"path":"/a","type":""})")) << volume_made.text;
}

/// A change of a valid object, and the causes reported for it.
struct Change {
  std::string target;
  std::string object;
  std::string patch;
  std::vector<std::string> causes;  // empty: it is accepted
};

TEST_P(ApiContract, WhatOfBuiltinKindsMayNotChange) {
  const std::string claims = core("persistentvolumeclaims");
  const std::string claim = R"("spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}})";
  const std::string volumes = "/api/v1/persistentvolumes";
  const std::string volume_spec =
      R"("spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},"hostPath":{"path":"/a"}})";
  const std::string quotas = core("resourcequotas");
  const std::string quota = R"("spec":{"hard":{"pods":"4"},"scopes":["BestEffort"]})";
  const std::string classes = "/apis/scheduling.k8s.io/v1/priorityclasses";
  const std::vector<Change> rows = {
      {claims, claim, R"({"spec":{"resources":{"requests":{"storage":"2Gi"}}}})", {"FieldValueForbidden spec"}},
      {claims, claim, R"({"spec":{"accessModes":["ReadWriteMany"]}})", {"FieldValueForbidden spec"}},
      {claims, claim, R"({"spec":{"storageClassName":"x"}})", {}},
      {claims, claim, R"({"spec":{"volumeName":"x"}})", {}},
      {claims, claim, R"({"spec":{"resources":{"requests":{"storage":"1024Mi"}}}})", {}},
      {volumes,
       volume_spec,
       R"({"spec":{"hostPath":{"path":"/b"}}})",
       {"FieldValueForbidden spec.persistentvolumesource"}},
      {volumes, volume_spec, R"({"spec":{"capacity":{"storage":"2Gi"}}})", {}},
      {volumes, volume_spec, R"({"spec":{"volumeMode":"Block"}})", {"FieldValueInvalid volumeMode"}},
      {quotas, quota, R"({"spec":{"scopes":["NotBestEffort"]}})", {"FieldValueInvalid spec.scopes"}},
      {quotas, quota, R"({"spec":{"scopes":null}})", {"FieldValueInvalid spec.scopes"}},
      {quotas,
       R"("spec":{"hard":{"pods":"4"}})",
       R"({"spec":{"scopes":["BestEffort"]}})",
       {"FieldValueInvalid spec.scopes"}},
      {core("pods"),
       R"("spec":{"activeDeadlineSeconds":5,"containers":[{"name":"a","image":"i"}]})",
       R"({"spec":{"activeDeadlineSeconds":10}})",
       {"FieldValueInvalid spec.activeDeadlineSeconds"}},
      {core("pods"),
       R"("spec":{"activeDeadlineSeconds":5,"containers":[{"name":"a","image":"i"}]})",
       R"({"spec":{"activeDeadlineSeconds":4}})",
       {}},
      {core("pods"),
       R"("spec":{"schedulingGates":[{"name":"a"}],"containers":[{"name":"a","image":"i"}]})",
       R"({"spec":{"schedulingGates":[{"name":"a"},{"name":"b"}]}})",
       {"FieldValueForbidden spec.schedulingGates[1].name"}},
      {core("pods"),
       R"("spec":{"schedulingGates":[{"name":"a"}],"containers":[{"name":"a","image":"i"}]})",
       R"({"spec":{"schedulingGates":null}})",
       {}},
      {classes, R"("value":1)", R"({"value":2})", {"FieldValueForbidden value"}},
      {classes, R"("value":1)", R"({"preemptionPolicy":"Never"})", {"FieldValueInvalid preemptionPolicy"}},
      {classes, R"("value":1)", R"({"description":"x"})", {}},
  };
  int number = 0;
  for (const Change& row : rows) {
    const std::string name = fmt::format("{}-{}", ns_, ++number);
    const Answer made = post(row.target, R"({"metadata":{"name":")" + name + R"("},)" + row.object + "}");
    ASSERT_EQ(made.code, 201) << made.text;
    const Answer changed = patch(row.target + "/" + name, row.patch);
    EXPECT_EQ(changed.code, row.causes.empty() ? 200 : 422) << row.patch << changed.text;
    EXPECT_THAT(changed.causes(), UnorderedElementsAreArray(row.causes)) << row.patch << changed.text;
    if (row.target == classes && changed.code == 200) {
      EXPECT_EQ(changed.body.int_at("metadata", "generation"), 1) << "the first and last of a class";
    }
    remove(row.target + "/" + name);
  }
}

}  // namespace
}  // namespace muster::contract
