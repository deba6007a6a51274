// Tests the rules over several fields, each with its exact message.
#include <gmock/gmock.h>

#include "api/resource.h"
#include "json/yaml.h"
#include "reflect/reflect.h"

namespace muster::api {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Returns what admission would report for a manifest: sets defaults, validates the schema, then checks the rules.
std::vector<std::string> problems(const std::string& yaml) {
  const auto parsed = json::parse_yaml(yaml);
  if (!parsed) return {parsed.error().message};
  json::Document object = parsed->front().value;
  const Resource* resource = find_kind(object.string_at("apiVersion"), object.string_at("kind"));
  if (resource == nullptr) return {"no such kind"};
  reflect::apply_defaults(*resource->type, object);
  std::vector<FieldCause> causes = reflect::validate(*resource->type, object);
  for (FieldCause& cause : resource->check(object)) causes.push_back(std::move(cause));
  std::vector<std::string> out;
  for (const FieldCause& cause : causes) out.push_back(cause.reason + " " + cause.field + ": " + cause.message);
  return out;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << "the manifest has no " << from;
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

// ---- Pod ----

constexpr const char* kPod = R"(
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  volumes:
  - {name: data, emptyDir: {}}
  initContainers:
  - {name: init, image: i}
  containers:
  - name: main
    image: i
    volumeMounts:
    - {name: data, mountPath: /data}
)";

TEST(CheckPod, AcceptsAGoodOne) {
  EXPECT_THAT(problems(kPod), IsEmpty());
}

TEST(CheckPod, ValuesAreRefusedInKubernetesWords) {
  const auto of_container = [](const std::string& line) {
    return problems(replaced(kPod, "    image: i\n    volume", "    image: i\n    " + line + "\n    volume"));
  };
  EXPECT_THAT(of_container("imagePullPolicy: Sometimes"),
              ElementsAre("FieldValueNotSupported spec.containers[0].imagePullPolicy: Unsupported value: "
                          "\"Sometimes\": supported values: \"Always\", \"IfNotPresent\", \"Never\""));
  EXPECT_THAT(
      of_container("ports: [{containerPort: 80, name: a--b, hostPort: 99999}]"),
      ElementsAre("FieldValueInvalid spec.containers[0].ports[0].name: Invalid value: \"a--b\": must not contain "
                  "consecutive hyphens",
                  "FieldValueInvalid spec.containers[0].ports[0].hostPort: Invalid value: 99999: must be "
                  "between 1 and 65535, inclusive"));
  EXPECT_THAT(
      of_container("livenessProbe: {httpGet: {port: 80, host: 169.254.169.254}}"),
      ElementsAre("FieldValueForbidden spec.containers[0].livenessProbe.httpGet.host: Forbidden: it is the pod's "
                  "own address; remove it"));
  EXPECT_THAT(of_container("livenessProbe: {periodSeconds: 1}"),
              ElementsAre("FieldValueRequired spec.containers[0].livenessProbe: Required value: must specify a handler "
                          "type"));
  EXPECT_THAT(
      of_container("resources: {limits: {nvidia.com/gpu: \"2\"}, requests: {nvidia.com/gpu: \"1\"}}"),
      ElementsAre("FieldValueInvalid spec.containers[0].resources.requests: Invalid value: \"1\": must be equal to "
                  "nvidia.com/gpu limit of 2"));
  EXPECT_THAT(of_container("resources: {limits: {hugepages-2Mi: 2Mi}}"),
              ElementsAre("FieldValueForbidden spec.containers[0].resources: Forbidden: HugePages require cpu or "
                          "memory"));
  EXPECT_THAT(of_container("env: [{name: A, value: x, valueFrom: {fieldRef: {fieldPath: metadata.foo}}}]"),
              ElementsAre("FieldValueInvalid spec.containers[0].env[0].valueFrom: Invalid value: \"\": may not be "
                          "specified when `value` is not empty",
                          "FieldValueInvalid spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Invalid value: "
                          "\"metadata.foo\": error converting fieldPath: field label not supported: metadata.foo"));
  const auto of_volume = [](const std::string& source) { return problems(replaced(kPod, "emptyDir: {}", source)); };
  EXPECT_THAT(of_volume("emptyDir: {}, hostPath: {path: /a}"),
              ElementsAre("FieldValueForbidden spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume "
                          "type"));
  EXPECT_THAT(of_volume("secret: {secretName: a, defaultMode: 9999, items: [{key: k, path: ../b}]}"),
              ElementsAre("FieldValueInvalid spec.volumes[0].secret.defaultMode: Invalid value: 9999: must be a number "
                          "between 0 and 0777 (octal), both inclusive",
                          "FieldValueInvalid spec.volumes[0].secret.items[0].path: Invalid value: \"../b\": must not "
                          "contain '..'"));
}

TEST(CheckPod, RulesReadWhatHasTheWrongTypeWithoutHarm) {
  const auto of_volume = [](const char* source) { return problems(replaced(kPod, "emptyDir: {}", source)); };
  const auto of_pod = [](const std::string& part) {
    return problems(replaced(kPod, "spec:\n", "spec:\n  " + part + "\n"));
  };
  const auto of_container = [](const std::string& part) {
    return problems(replaced(kPod, "    image: i\n", "    image: i\n    " + part + "\n"));
  };
  const auto names_field = [](const std::string& part) {
    return Contains(HasSubstr("." + part.substr(0, part.find(':'))));
  };
  EXPECT_THAT(of_volume("secret: x"), names_field("volumes"));
  for (const char* part : {"tolerations: [1]", "topologySpreadConstraints: [x]", "os: 1"}) {
    EXPECT_THAT(of_pod(part), names_field(part));
  }
  for (const char* part : {"ports: [x]", "env: [{name: A, valueFrom: [1]}]", "envFrom: [{configMapRef: 1}]",
                           "resources: {limits: [1]}", "resources: {limits: {cpu: []}}", "livenessProbe: [1]",
                           "lifecycle: {preStop: 1}", "livenessProbe: {exec: 1, terminationGracePeriodSeconds: x}"}) {
    EXPECT_THAT(of_container(part), names_field(part));
  }
  // The schema leaves the types of these open, so nothing stops them before the rules.
  EXPECT_THAT(of_volume("projected: {sources: [1]}"), IsEmpty());
  for (const char* part : {"securityContext: [1]", "securityContext: {supplementalGroups: [x]}", "nodeSelector: [1]"}) {
    EXPECT_THAT(of_pod(part), IsEmpty()) << part;
  }
}

TEST(CheckPod, NeedsAContainer) {
  EXPECT_THAT(problems("{apiVersion: v1, kind: Pod, spec: {containers: []}}"),
              ElementsAre("FieldValueRequired spec.containers: Required value"));
  EXPECT_THAT(problems("{apiVersion: v1, kind: Pod, spec: {}}"),
              ElementsAre("FieldValueRequired spec.containers: Required value"));
}

TEST(CheckPod, NamesAreUniqueLabels) {
  EXPECT_THAT(problems(replaced(kPod, "name: init", "name: main")),
              ElementsAre("FieldValueDuplicate spec.initContainers[0].name: Duplicate value: \"main\""));
  EXPECT_THAT(
      problems(replaced(kPod, "name: main", "name: Main_1")),
      ElementsAre("FieldValueInvalid spec.containers[0].name: Invalid value: \"Main_1\": a lowercase RFC 1123 "
                  "label must consist of lower case alphanumeric characters or '-', and must start and end with "
                  "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
                  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"));
}

TEST(CheckPod, MountsReferToVolumes) {
  EXPECT_THAT(
      problems(replaced(kPod, "- {name: data, mountPath", "- {name: dat, mountPath")),
      ElementsAre("FieldValueNotFound spec.containers[0].volumeMounts[0].name: Not found: \"dat\"; did you mean "
                  "\"data\"?"));
  EXPECT_THAT(problems(replaced(kPod, "- {name: data, mountPath", "- {name: \"\", mountPath")),
              ElementsAre("FieldValueRequired spec.containers[0].volumeMounts[0].name: Required value"));
  EXPECT_THAT(problems(std::string(kPod) + "    - {name: data, mountPath: /data}\n"),
              ElementsAre("FieldValueInvalid spec.containers[0].volumeMounts[1].mountPath: Invalid value: \"/data\": "
                          "must be unique"));
}

TEST(CheckPod, MountsStayInsideTheirVolume) {
  const auto mounted = [](const std::string& path) {
    return problems(replaced(kPod, "mountPath: /data}", "mountPath: /data, subPath: " + path + "}"));
  };
  EXPECT_THAT(mounted("a/b..c"), IsEmpty());
  EXPECT_THAT(mounted("a/../../etc"),
              ElementsAre("FieldValueInvalid spec.containers[0].volumeMounts[0].subPath: Invalid "
                          "value: \"a/../../etc\": must not contain '..'"));
  EXPECT_THAT(mounted("/etc"),
              ElementsAre("FieldValueInvalid spec.containers[0].volumeMounts[0].subPath: Invalid value: "
                          "\"/etc\": must be a relative path"));
}

TEST(CheckPod, EnvironmentNamesArePrintable) {
  EXPECT_THAT(
      problems(replaced(kPod, "image: i\n    vol",
                        "image: i\n    env: [{name: 'a b.c'}, {name: A=B}, {name: ''}]\n    vol")),
      ElementsAre("FieldValueInvalid spec.containers[0].env[1].name: Invalid value: \"A=B\": a valid environment "
                  "variable name must consist only of printable ASCII characters other than '='",
                  "FieldValueRequired spec.containers[0].env[2].name: Required value"));
}

TEST(CheckPod, AmountsAreNotNegativeAndRequestsWithinLimits) {
  const auto with = [](const std::string& resources) {
    return problems(replaced(kPod, "image: i\n    vol", "image: i\n    resources: " + resources + "\n    vol"));
  };
  EXPECT_THAT(with("{limits: {cpu: 2}, requests: {cpu: 1500m, memory: 1Gi}}"), IsEmpty());
  EXPECT_THAT(
      with("{requests: {memory: -5Mi}}"),
      ElementsAre("FieldValueInvalid spec.containers[0].resources.requests[memory]: Invalid value: \"-5Mi\": must "
                  "be greater than or equal to 0"));
  EXPECT_THAT(
      with("{limits: {cpu: 1}, requests: {cpu: 1500m}}"),
      ElementsAre("FieldValueInvalid spec.containers[0].resources.requests: Invalid value: \"1500m\": must be less "
                  "than or equal to cpu limit of 1"));
}

TEST(CheckPod, ImageIsRequired) {
  EXPECT_THAT(problems(replaced(kPod, "{name: init, image: i}", "{name: init}")),
              ElementsAre("FieldValueRequired spec.initContainers[0].image: Required value"));
}

TEST(CheckPod, RestartPolicyIsOneOfThree) {
  EXPECT_THAT(problems(std::string(kPod) + "  restartPolicy: Sometimes\n"),
              ElementsAre("FieldValueNotSupported spec.restartPolicy: Unsupported value: \"Sometimes\": supported "
                          "values: \"Always\", \"OnFailure\", \"Never\""));
}

TEST(CheckPod, PortsAreInRange) {
  EXPECT_THAT(problems(replaced(kPod, "image: i\n    vol", "image: i\n    ports: [{containerPort: 70000}]\n    vol")),
              ElementsAre("FieldValueInvalid spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be "
                          "between 1 and 65535, inclusive"));
}

// ---- Service ----

TEST(CheckService, NeedsPortsUnlessHeadless) {
  EXPECT_THAT(problems("{apiVersion: v1, kind: Service, spec: {}}"),
              ElementsAre("FieldValueRequired spec.ports: Required value"));
  EXPECT_THAT(problems("{apiVersion: v1, kind: Service, spec: {clusterIP: None}}"), IsEmpty());
  EXPECT_THAT(problems("{apiVersion: v1, kind: Service, spec: {ports: [{port: 80}]}}"), IsEmpty());
}

TEST(CheckService, SeveralPortsHaveNames) {
  EXPECT_THAT(problems("{apiVersion: v1, kind: Service, spec: {ports: [{port: 80, name: a}, {port: 81}]}}"),
              ElementsAre("FieldValueRequired spec.ports[1].name: Required value"));
  EXPECT_THAT(problems("{apiVersion: v1, kind: Service, spec: {ports: [{port: 80, name: a}, {port: 81, name: a}]}}"),
              ElementsAre("FieldValueDuplicate spec.ports[1].name: Duplicate value: \"a\""));
}

// ---- PyTorchTrainingJob ----

constexpr const char* kTrainingJob = R"(
apiVersion: batch.tensorstack.dev/v1beta1
kind: PyTorchTrainingJob
metadata: {name: mnist}
spec:
  torchrunConfig: {enable: true, procPerNode: 4}
  runMode:
    debug: {enable: false, replicaSpecs: [{type: worker}]}
  replicaSpecs:
  - type: master
    template: {spec: {containers: [{name: pytorch, image: i}]}}
  - type: worker
    replicas: 4
    template: {spec: {containers: [{name: pytorch, image: i}], restartPolicy: OnFailure, tolerations: []}}
)";

TEST(CheckPyTorchTrainingJob, AcceptsAGoodOne) {
  EXPECT_THAT(problems(kTrainingJob), IsEmpty());
}

TEST(CheckPyTorchTrainingJob, NeedsARoleAndEachRoleAContainer) {
  EXPECT_THAT(
      problems("{apiVersion: batch.tensorstack.dev/v1beta1, kind: PyTorchTrainingJob, spec: {replicaSpecs: []}}"),
      ElementsAre("FieldValueInvalid spec.replicaSpecs: Invalid value: 0: spec.replicaSpecs in body should have "
                  "at least 1 items"));
  EXPECT_THAT(
      problems(replaced(kTrainingJob, "template: {spec: {containers: [{name: pytorch, image: i}]}}", "template: {}")),
      ElementsAre("FieldValueRequired spec.replicaSpecs[0].template.spec.containers: Required value: at least "
                  "one container"));
}

TEST(CheckPyTorchTrainingJob, RolesAreUniqueLabels) {
  EXPECT_THAT(problems(replaced(kTrainingJob, "type: master", "type: worker")),
              ElementsAre("FieldValueDuplicate spec.replicaSpecs[1]: Duplicate value: map[string]interface "
                          "{}{\"type\":\"worker\"}"));
  EXPECT_THAT(problems(replaced(kTrainingJob, "type: master", "type: Master")),
              ElementsAre("FieldValueInvalid spec.replicaSpecs[0].type: Invalid value: \"Master\": "
                          "spec.replicaSpecs[0].type in body should match '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'"));
}

TEST(CheckPyTorchTrainingJob, NamesOfPodsMustFit) {
  const std::string fits(46, 'x');  // + "-00000-worker-10" is 62
  const std::string job = replaced(kTrainingJob, "replicas: 4", "replicas: 11");
  EXPECT_THAT(problems(replaced(job, "mnist", fits)), IsEmpty());
  EXPECT_THAT(
      problems(replaced(job, "mnist", fits + "xxx")),
      ElementsAre("FieldValueInvalid metadata.name: Invalid value: \"" + fits + "xxx\": the pod name \"" + fits +
                  "xxx-00000-worker-10\" has 65 characters, at most 63 are allowed; shorten the job's name by "
                  "2"));
}

TEST(CheckPyTorchTrainingJob, ElasticNeedsTorchrunAndARange) {
  const std::string with_elastic = replaced(
      kTrainingJob,
      "  runMode:", "  elastic: {enabled: true, minReplicas: 2, maxReplicas: 4, expectedReplicas: 3}\n  runMode:");
  EXPECT_THAT(problems(with_elastic), IsEmpty());
  EXPECT_THAT(problems(replaced(with_elastic, "enable: true, proc", "enable: false, proc")),
              ElementsAre("FieldValueInvalid spec.elastic.enabled: Invalid value: true: needs torchrun; set "
                          "spec.torchrunConfig.enabled to true"));
  EXPECT_THAT(problems(replaced(with_elastic, "expectedReplicas: 3", "expectedReplicas: 5")),
              ElementsAre("FieldValueInvalid spec.elastic.expectedReplicas: Invalid value: 5: must be at most "
                          "maxReplicas, which is 4"));
  EXPECT_THAT(problems(replaced(with_elastic, "expectedReplicas: 3", "expectedReplicas: 1")),
              ElementsAre("FieldValueInvalid spec.elastic.expectedReplicas: Invalid value: 1: must be at least "
                          "minReplicas, which is 2"));
  EXPECT_THAT(problems(replaced(with_elastic, "maxReplicas: 4, expectedReplicas: 3", "maxReplicas: 1")),
              ElementsAre("FieldValueInvalid spec.elastic.maxReplicas: Invalid value: 1: must be at least minReplicas, "
                          "which is 2"));
  EXPECT_THAT(problems(replaced(with_elastic, "minReplicas: 2, ", "")),
              ElementsAre("FieldValueRequired spec.elastic.minReplicas: Required value: the job is elastic"));
}

TEST(CheckPyTorchTrainingJob, ModesNameRolesThatExist) {
  EXPECT_THAT(problems(replaced(kTrainingJob, "[{type: worker}]", "[{type: workers}]")),
              ElementsAre("FieldValueNotSupported spec.runMode.debug.replicaSpecs[0].type: Unsupported value: "
                          "\"workers\": supported values: \"master\", \"worker\"; did you mean \"worker\"?"));
}

TEST(CheckPyTorchTrainingJob, ProcessesAreANumberOrAWord) {
  EXPECT_THAT(problems(replaced(kTrainingJob, "procPerNode: 4", "procPerNode: four")),
              ElementsAre("FieldValueInvalid spec.torchrunConfig.procPerNode: Invalid value: \"four\": "
                          "spec.torchrunConfig.procPerNode in body should match '^([1-9][0-9]*|gpu|cpu|auto)$'"));
}

TEST(CheckPyTorchTrainingJob, ProcessesAreAtLeastOne) {
  for (const char* count : {"0", "-1"}) {
    EXPECT_THAT(problems(replaced(kTrainingJob, "procPerNode: 4", std::string("procPerNode: ") + count)),
                ElementsAre(std::string("FieldValueInvalid spec.torchrunConfig.procPerNode: Invalid value: ") + count +
                            ": spec.torchrunConfig.procPerNode in body should be greater than or equal to 1"));
  }
}

TEST(CheckPyTorchTrainingJob, OlderSpellingsMeanTheSame) {
  EXPECT_THAT(problems(replaced(kTrainingJob, "enable: true, proc", "enable: true, enabled: true, proc")), IsEmpty());
  EXPECT_THAT(problems(replaced(kTrainingJob, "enable: true, proc", "enable: true, enabled: false, proc")),
              ElementsAre("FieldValueInvalid spec.torchrunConfig.enable: Invalid value: \"object\": enable and enabled "
                          "must not differ; enable is the older spelling of enabled"));
  EXPECT_THAT(problems(replaced(kTrainingJob,
                                "  runMode:", "  elastic: {enable: true, minReplicas: 3, maxReplicas: 2}\n  runMode:")),
              ElementsAre("FieldValueInvalid spec.elastic.maxReplicas: Invalid value: 2: must be at least minReplicas, "
                          "which is 3"));
}

TEST(CheckPyTorchTrainingJob, TheRoleThatDecidesHasAReplica) {
  EXPECT_THAT(problems(replaced(kTrainingJob, "replicas: 4", "replicas: 0")), IsEmpty());
  EXPECT_THAT(problems(replaced(kTrainingJob, "type: master", "type: master\n    replicas: 0")),
              ElementsAre("FieldValueInvalid spec.replicaSpecs: Invalid value: \"object\": must have at least one "
                          "replica of the first role, which decides how the job ends"));
}

TEST(Defaults, OfAPyTorchTrainingJob) {
  json::Document job = json::parse_yaml(kTrainingJob)->front().value;
  reflect::apply_defaults(*find_typed("pj")->type, job);
  EXPECT_EQ(json::serialize(*job.at("spec", "runPolicy")), R"({"backoffLimit":3,"cleanUpPolicy":"None"})");
  EXPECT_EQ(json::serialize(*job.at("spec", "torchrunConfig")),
            R"({"enable":true,"procPerNode":4,"rdzvBackend":"c10d"})");
  const json::Document& master = job.at("spec", "replicaSpecs")->as_array()[0];
  EXPECT_EQ(master.int_at("replicas"), 1);
  EXPECT_EQ(master.string_at("restartPolicy"), "OnFailure");
  EXPECT_EQ(json::serialize(*master.at("template", "spec")), R"({"containers":[{"name":"pytorch","image":"i"}]})");
}

TEST(Unknown, ATypoInATemplateIsReportedAndTolerationsAreNot) {
  const json::Document job = json::parse_yaml(replaced(kTrainingJob, "{name: pytorch, image: i}",
                                                       "{name: pytorch, image: i, commands: [x], stdin: true}"))
                                 ->front()
                                 .value;
  const auto unknown = reflect::unknown_fields(*find_typed("pj")->type, job);
  ASSERT_EQ(unknown.size(), 1u);
  EXPECT_EQ(unknown[0].path, "spec.replicaSpecs[0].template.spec.containers[0].commands");
  EXPECT_EQ(unknown[0].suggestion, "command");
}

// ---- PyTorchJob ----

constexpr const char* kPyTorchJob = R"(
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: mnist}
spec:
  pytorchReplicaSpecs:
    Master:
      template: {spec: {containers: [{name: pytorch, image: i}]}}
    Worker:
      replicas: 2
      template: {spec: {containers: [{name: pytorch, image: i}]}}
)";

TEST(CheckPyTorchJob, AcceptsAGoodOne) {
  EXPECT_THAT(problems(kPyTorchJob), IsEmpty());
}

TEST(CheckPyTorchJob, RolesAreMasterAndWorker) {
  EXPECT_THAT(problems(replaced(kPyTorchJob, "Worker:", "Workr:")),
              ElementsAre("FieldValueNotSupported spec.pytorchReplicaSpecs[Workr]: Unsupported value: \"Workr\": "
                          "supported values: \"Master\", \"Worker\"; did you mean \"Worker\"?"));
  EXPECT_THAT(problems("{apiVersion: kubeflow.org/v1, kind: PyTorchJob, spec: {pytorchReplicaSpecs: {}}}"),
              ElementsAre("FieldValueRequired spec.pytorchReplicaSpecs: Required value: Master or Worker"));
}

TEST(CheckPyTorchJob, HasOneMasterAndAWorkerIfAny) {
  EXPECT_THAT(problems(replaced(kPyTorchJob, "Master:", "Master:\n      replicas: 2")),
              ElementsAre("FieldValueInvalid spec.pytorchReplicaSpecs[Master].replicas: Invalid value: 2: must be 1, "
                          "there is one master"));
  EXPECT_THAT(problems(replaced(kPyTorchJob, "replicas: 2", "replicas: 0")),
              ElementsAre("FieldValueInvalid spec.pytorchReplicaSpecs[Worker].replicas: Invalid value: 0: must be at "
                          "least 1; omit Worker for none"));
}

TEST(CheckPyTorchJob, NeedsAContainerNamedPytorchWithAnImage) {
  EXPECT_THAT(
      problems(replaced(kPyTorchJob, "{name: pytorch, image: i}", "{name: torch, image: i}")),
      ElementsAre("FieldValueRequired spec.pytorchReplicaSpecs[Master].template.spec.containers: Required value: "
                  "must have at least one container with name pytorch"));
  EXPECT_THAT(problems(replaced(kPyTorchJob, "{name: pytorch, image: i}", "{name: pytorch}")),
              ElementsAre("FieldValueRequired spec.pytorchReplicaSpecs[Master].template.spec.containers[0].image: "
                          "Required value"));
  EXPECT_THAT(
      problems(replaced(kPyTorchJob, "template: {spec: {containers: [{name: pytorch, image: i}]}}", "template: {}")),
      ElementsAre("FieldValueRequired spec.pytorchReplicaSpecs[Master].template.spec.containers: Required value: "
                  "at least one container"));
}

TEST(CheckPyTorchJob, NameStartsWithALetter) {
  EXPECT_THAT(
      problems(replaced(kPyTorchJob, "name: mnist", "name: 1-mnist")),
      ElementsAre("FieldValueInvalid metadata.name: Invalid value: \"1-mnist\": a DNS-1035 label must consist of "
                  "lower case alphanumeric characters or '-', start with an alphabetic character, and end with "
                  "an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
                  "'[a-z]([-a-z0-9]*[a-z0-9])?')"));
}

TEST(CheckPyTorchJob, ElasticPolicyNeedsWorkers) {
  EXPECT_THAT(
      problems(replaced(replaced(kPyTorchJob,
                                 "Worker:\n      replicas: 2\n      template: {spec: {containers: "
                                 "[{name: pytorch, image: i}]}}\n",
                                 ""),
                        "  pytorchReplicaSpecs:",
                        "  nprocPerNode: auto\n  elasticPolicy: {minReplicas: 3, maxReplicas: 2, nProcPerNode: 1}\n"
                        "  pytorchReplicaSpecs:")),
      ElementsAre("FieldValueRequired spec.pytorchReplicaSpecs[Worker]: Required value: must be configured if "
                  "elastic policy is used",
                  "FieldValueInvalid spec.elasticPolicy.maxReplicas: Invalid value: 2: must be at least "
                  "minReplicas, which is 3",
                  "FieldValueForbidden spec.elasticPolicy.nProcPerNode: Forbidden: must not be used with "
                  "spec.nprocPerNode"));
}

TEST(Defaults, OfAPyTorchJob) {
  json::Document job = json::parse_yaml(kPyTorchJob)->front().value;
  reflect::apply_defaults(*find_typed("pytorchjob")->type, job);
  EXPECT_EQ(json::serialize(*job.at("spec", "runPolicy")), R"({"cleanPodPolicy":"None","suspend":false})");
  EXPECT_EQ(job.at("spec", "pytorchReplicaSpecs", "Master")->int_at("replicas"), 1);
  EXPECT_EQ(job.at("spec", "pytorchReplicaSpecs", "Worker")->string_at("restartPolicy"), "OnFailure");
}

TEST(Defaults, OfAPod) {
  json::Document pod = json::parse_yaml(kPod)->front().value;
  reflect::apply_defaults(*find_typed("pod")->type, pod);
  EXPECT_EQ(pod.string_at("spec", "restartPolicy"), "Always");
  EXPECT_EQ(pod.int_at("spec", "terminationGracePeriodSeconds"), 30);
}

// ---- Kinds that only hold data ----

TEST(CheckRecords, KeysAndTypesOfSecrets) {
  EXPECT_THAT(problems("{apiVersion: v1, kind: Secret, type: kubernetes.io/tls, data: {a/b: YQ==, tls.crt: YQ==}}"),
              ElementsAre("FieldValueInvalid data[a/b]: Invalid value: \"a/b\": a valid config key must consist of "
                          "alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', "
                          "regex used for validation is '[-._a-zA-Z0-9]+')",
                          "FieldValueRequired data[tls.key]: Required value"));
}

TEST(CheckStorage, AClaimSaysHowMuchAndHow) {
  EXPECT_THAT(problems("{apiVersion: v1, kind: PersistentVolumeClaim, spec: {accessModes: [RWX], resources: {requests: "
                       "{storage: 0}}}}"),
              ElementsAre("FieldValueNotSupported spec.accessModes: Unsupported value: \"RWX\": supported values: "
                          "\"ReadOnlyMany\", \"ReadWriteMany\", \"ReadWriteOnce\", \"ReadWriteOncePod\"",
                          "FieldValueInvalid spec.resources[storage]: Invalid value: 0: must be greater than zero"));
}

TEST(CheckService, PortsAreDifferentAndTypesHaveWhatTheyNeed) {
  EXPECT_THAT(problems("{apiVersion: v1, kind: Service, spec: {type: ExternalName}}"),
              ElementsAre("FieldValueRequired spec.externalName: Required value"));
  EXPECT_THAT(problems("{apiVersion: v1, kind: Service, spec: {ports: [{port: 80, targetPort: 99999}]}}"),
              ElementsAre("FieldValueInvalid spec.ports[0].targetPort: Invalid value: 99999: must be between 1 and "
                          "65535, inclusive"));
}

}  // namespace
}  // namespace muster::api
