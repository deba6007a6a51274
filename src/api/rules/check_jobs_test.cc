// The exact texts of errors and warnings for the job kinds other than PyTorch's.
#include <gmock/gmock.h>

#include "api/resource.h"
#include "json/yaml.h"
#include "reflect/reflect.h"

namespace muster::api {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Said {
  std::vector<std::string> problems;
  std::vector<std::string> warnings;
};

/// Returns the errors and warnings that admission would report for a spec.
Said said(const std::string& api_version, const std::string& kind, std::string spec) {
  const std::string pod = "{spec: {containers: [{name: NAME, image: i}]}}";
  for (std::size_t at = 0; (at = spec.find("POD(")) != std::string::npos;) {
    const auto end = spec.find(')', at);
    std::string text = pod;
    text.replace(text.find("NAME"), 4, spec.substr(at + 4, end - at - 4));
    spec.replace(at, end - at + 1, text);
  }
  const auto parsed = json::parse_yaml("{apiVersion: " + api_version + ", kind: " + kind +
                                       ", metadata: {name: j}, spec: " + spec + "}");
  if (!parsed) return {{parsed.error().message}, {}};
  json::Document object = parsed->front().value;
  const Resource& resource = *find_kind(api_version, kind);
  Said out;
  if (resource.warn != nullptr) out.warnings = resource.warn(object);
  reflect::apply_defaults(*resource.type, object);
  std::vector<FieldCause> causes = reflect::validate(*resource.type, object);
  if (causes.empty()) causes = resource.check(object);
  for (const FieldCause& cause : causes) out.problems.push_back(cause.field + ": " + cause.message);
  return out;
}

constexpr const char* kTensorStack = "batch.tensorstack.dev/v1beta1";

Said tensorstack(const std::string& kind, const std::string& spec) {
  return said(kTensorStack, kind, spec);
}

TEST(CheckContainers, TheOnlyOneIsTakenUnderAnyNameWithAWarning) {
  for (const auto& [kind, role, name] : {std::tuple{"TensorFlowTrainingJob", "worker", "tensorflow"},
                                         std::tuple{"XGBoostTrainingJob", "master", "xgboost"}}) {
    const std::string start = std::string("{replicaSpecs: [{type: ") + role + ", template: ";
    const Said named = tensorstack(kind, start + "POD(" + name + ")}]}");
    EXPECT_THAT(named.problems, IsEmpty());
    EXPECT_THAT(named.warnings, IsEmpty());
    const Said other = tensorstack(kind, start + "POD(main)}]}");
    EXPECT_THAT(other.problems, IsEmpty());
    EXPECT_THAT(other.warnings, ElementsAre(std::string("spec.replicaSpecs[0].template.spec.containers[0].name: should "
                                                        "be ") +
                                            name + "; a single container is accepted under any name"));
    const Said two =
        tensorstack(kind, start + "{spec: {containers: [{name: main, image: i}, {name: side, image: i}]}}}]}");
    EXPECT_THAT(two.problems, ElementsAre(std::string("spec.replicaSpecs[0].template.spec.containers: Required value: "
                                                      "must have a container with name ") +
                                          name + ", or only one"));
  }
}

TEST(CheckMpiJob, WorkersOnlyWait) {
  const Said job =
      tensorstack("MPIJob",
                  "{mpiConfig: {script: [p]}, replicaSpecs: [{type: launcher, template: {}}, {type: worker, "
                  "template: {spec: {containers: [{name: main, image: i, command: [a], args: [b]}]}}}]}");
  EXPECT_THAT(job.problems, IsEmpty());
  EXPECT_THAT(job.warnings,
              ElementsAre("spec.replicaSpecs[1].template.spec.containers[0].name: should be worker; a single container "
                          "is accepted under any name",
                          "spec.replicaSpecs[1].template.spec.containers[0].command: ignored, workers wait for mpirun; "
                          "the program is in spec.mpiConfig.script",
                          "spec.replicaSpecs[1].template.spec.containers[0].args: ignored, workers wait for mpirun; "
                          "the program is in spec.mpiConfig.script"));
}

TEST(CheckMpiJob, FieldsAndFlagsDoNotSayTheSame) {
  const Said job =
      tensorstack("MPIJob",
                  "{worker: {cmd: [p], extraMPIArgs: [-N, '2', --max-restarts, '3'], processesPerWorker: 2, "
                  "processRecovery: {enable: true}, template: POD(worker)}}");
  EXPECT_THAT(job.problems,
              ElementsAre("spec.worker.processesPerWorker: Forbidden: must not be used with -N in "
                          "spec.worker.extraMPIArgs, which says the same",
                          "spec.worker.processRecovery: Forbidden: must not be used with --max-restarts in "
                          "spec.worker.extraMPIArgs, which says the same"));
  EXPECT_THAT(tensorstack("MPIJob",
                          "{mpiConfig: {extraArgs: [--npernode, '2']}, worker: {cmd: [p], processesPerWorker: 2, "
                          "template: POD(worker)}}")
                  .problems,
              ElementsAre("spec.worker.processesPerWorker: Forbidden: must not be used with --npernode in "
                          "spec.mpiConfig.extraArgs, which says the same"));
}

TEST(CheckMpiJob, DebugModeNeedsNoProgramInEitherSpelling) {
  for (const char* spelling : {"enabled", "enable"}) {
    EXPECT_THAT(tensorstack("MPIJob", std::string("{mpiConfig: {script: []}, runMode: {debug: {") + spelling +
                                          ": true}}, replicaSpecs: [{type: launcher, template: {}}, {type: worker, "
                                          "template: POD(worker)}]}")
                    .problems,
                IsEmpty());
  }
}

TEST(CheckGenericJob, ServiceVariablesNameWhatThereIs) {
  const auto with = [](const std::string& text) {
    return tensorstack("GenericJob",
                       "{service: {ports: [{name: http, port: 80}]}, replicaSpecs: [{type: w, replicas: 2, "
                       "template: {spec: {containers: [{name: c, image: i, args: ['" +
                           text + "']}]}}}]}")
        .problems;
  };
  const std::string at = "spec.replicaSpecs[0].template.spec.containers[0].args[0]: Invalid value: ";
  EXPECT_THAT(with("$(service.w[1].host):$(service.port[http]) $$(service.x[0].host) $(service.other) $(rank)"),
              IsEmpty());
  EXPECT_THAT(with("$(service.x[0].host)"),
              ElementsAre(at + "\"$(service.x[0].host)\": names the role \"x\", which the job does not have"));
  EXPECT_THAT(with("a $(service.w[2].host)"),
              ElementsAre(at + "\"a $(service.w[2].host)\": names the replica 2 of w, which has 2"));
  EXPECT_THAT(with("$(service.w[a].host)"),
              ElementsAre(at + "\"$(service.w[a].host)\": names the replica a of w, which has 2"));
  EXPECT_THAT(
      with("$(service.port[htp])"),
      ElementsAre(at + "\"$(service.port[htp])\": names the port \"htp\", which spec.service does not have; did "
                       "you mean \"http\"?"));
}

TEST(CheckGenericJob, PortsAreThoseThatAServiceMayHave) {
  const auto problems = [](const std::string& ports) {
    return tensorstack("GenericJob", "{service: {ports: " + ports + "}, replicaSpecs: [{type: w, template: POD(c)}]}")
        .problems;
  };
  EXPECT_THAT(problems("[{port: 80}]"), IsEmpty());
  EXPECT_THAT(problems("[{port: 80}, {port: 81}]"),
              ElementsAre("spec.service.ports[0].name: Required value", "spec.service.ports[1].name: Required value"));
  EXPECT_THAT(problems("[{name: a, port: 80}, {name: a, port: 81}]"),
              ElementsAre("spec.service.ports[1].name: Duplicate value: \"a\""));
  EXPECT_THAT(problems("[{name: HTTP_X, port: 80}]"),
              ElementsAre(testing::HasSubstr("spec.service.ports[0].name: Invalid value: \"HTTP_X\"")));
}

TEST(CheckGenericJob, HasAReplica) {
  EXPECT_THAT(tensorstack("GenericJob", "{replicaSpecs: [{type: a, replicas: 0, template: POD(c)}]}").problems,
              ElementsAre("spec.replicaSpecs: Invalid value: \"object\": must have at least one replica"));
  EXPECT_THAT(tensorstack("GenericJob",
                          "{replicaSpecs: [{type: a, replicas: 0, template: POD(c)}, {type: b, template: POD(c)}]}")
                  .problems,
              IsEmpty());
}

TEST(WarnGenericJob, ALimitOfNoneIsSaidOnlyWhereItWasWritten) {
  EXPECT_THAT(tensorstack("GenericJob", "{replicaSpecs: [{type: a, template: POD(c)}]}").warnings, IsEmpty());
  EXPECT_THAT(
      tensorstack("GenericJob", "{replicaSpecs: [{type: a, restartPolicy: {policy: OnFailure}, template: POD(c)}]}")
          .warnings,
      ElementsAre("spec.replicaSpecs[0].restartPolicy.limit: OnFailure with the limit 0 never restarts; set the "
                  "limit, or use Never"));
}

TEST(WarnJobs, ADecidingReplicaThatIsAlwaysStartedAgain) {
  const std::string always =
      "restartPolicy: Always restarts the deciding replica even after it succeeds, so the job never ends; use "
      "OnFailure";
  const auto role = [](const std::string& type, const std::string& container) {
    return "{type: " + type + ", restartPolicy: Always, template: POD(" + container + ")}";
  };
  EXPECT_THAT(
      tensorstack("PyTorchTrainingJob", "{replicaSpecs: [" + role("a", "c") + ", " + role("b", "c") + "]}").warnings,
      ElementsAre("spec.replicaSpecs[0]." + always));
  EXPECT_THAT(tensorstack("TensorFlowTrainingJob",
                          "{replicaSpecs: [" + role("worker", "tensorflow") + ", " + role("chief", "tensorflow") + "]}")
                  .warnings,
              ElementsAre("spec.replicaSpecs[1]." + always));
  EXPECT_THAT(tensorstack("XGBoostTrainingJob", "{replicaSpecs: [" + role("master", "xgboost") + "]}").warnings,
              ElementsAre("spec.replicaSpecs[0]." + always));
  EXPECT_THAT(said("kubeflow.org/v1", "PyTorchJob",
                   "{pytorchReplicaSpecs: {Master: {restartPolicy: Always, template: POD(pytorch)}}}")
                  .warnings,
              ElementsAre("spec.pytorchReplicaSpecs[Master]." + always));
  EXPECT_THAT(said("kubeflow.org/v1", "TFJob",
                   "{tfReplicaSpecs: {Worker: {restartPolicy: Always, template: POD(tensorflow)}, Chief: {template: "
                   "POD(tensorflow)}}}")
                  .warnings,
              IsEmpty());
}

TEST(CheckKubeflowMpiJob, TheTwoVersionsDifferInWhatTheyTake) {
  const auto both = [](const std::string& spec) {
    return std::pair{said("kubeflow.org/v1", "MPIJob", spec).problems.size(),
                     said("kubeflow.org/v2beta1", "MPIJob", spec).problems};
  };
  const std::string launcher = "Launcher: {template: POD(c)}";
  const auto workers = both("{mpiReplicaSpecs: {" + launcher + ", Worker: {template: POD(c)}}}");
  EXPECT_EQ(workers.first, 0u);
  EXPECT_THAT(workers.second,
              ElementsAre("spec.mpiReplicaSpecs: Invalid value: \"object\": must say how many replicas of Worker there "
                          "are, at least 1; omit Worker for none"));
  EXPECT_THAT(both("{mpiReplicaSpecs: {" + launcher + ", Worker: {replicas: 0, template: POD(c)}}}").first, 0u);
  const auto policy = both("{mpiReplicaSpecs: {Launcher: {restartPolicy: ExitCode, template: POD(c)}}}");
  EXPECT_EQ(policy.first, 0u);
  EXPECT_THAT(policy.second.front(),
              "spec.mpiReplicaSpecs.Launcher.restartPolicy: Unsupported value: \"ExitCode\": "
              "supported values: \"Never\", \"OnFailure\"");
  const auto deadline = both("{runPolicy: {activeDeadlineSeconds: 0}, mpiReplicaSpecs: {" + launcher + "}}");
  EXPECT_EQ(deadline.first, 1u);
  EXPECT_THAT(deadline.second, IsEmpty());
  EXPECT_THAT(both("{sshAuthMountPath: '', mpiReplicaSpecs: {" + launcher + "}}").second,
              ElementsAre("spec.sshAuthMountPath: Invalid value: \"\": spec.sshAuthMountPath in body should match "
                          "'^.+$'"));
}

TEST(CheckKubeflowRoles, AreTakenInAnyCaseWithAWarning) {
  const Said pytorch = said("kubeflow.org/v1", "PyTorchJob",
                            "{elasticPolicy: {}, pytorchReplicaSpecs: {WORKER: {template: POD(pytorch)}}}");
  EXPECT_THAT(pytorch.problems, IsEmpty());
  EXPECT_THAT(pytorch.warnings, ElementsAre("spec.pytorchReplicaSpecs[WORKER]: read as the role Worker; write Worker"));
  const Said tensorflow =
      said("kubeflow.org/v1", "TFJob",
           "{tfReplicaSpecs: {chief: {restartPolicy: Always, template: POD(tensorflow)}, pS: {template: POD(c)}}}");
  EXPECT_THAT(tensorflow.problems, ElementsAre("spec.tfReplicaSpecs[pS].template.spec.containers: Required value: must "
                                               "have at least one container with name tensorflow"));
  EXPECT_EQ(tensorflow.warnings.size(), 3u);
  const Said mpi = said("kubeflow.org/v2beta1", "MPIJob",
                        "{mpiReplicaSpecs: {launcher: {template: POD(c)}, worker: {replicas: 1, template: POD(c)}}}");
  EXPECT_THAT(mpi.problems, IsEmpty());
}

TEST(CheckKubeflowRoles, AreThereOnce) {
  EXPECT_THAT(said("kubeflow.org/v1", "PyTorchJob",
                   "{pytorchReplicaSpecs: {Worker: {template: POD(pytorch)}, worker: {template: POD(pytorch)}}}")
                  .problems,
              ElementsAre("spec.pytorchReplicaSpecs[worker]: Duplicate value: \"worker\""));
  EXPECT_THAT(said("kubeflow.org/v1", "TFJob",
                   "{tfReplicaSpecs: {CHIEF: {template: POD(tensorflow)}, master: {template: POD(tensorflow)}}}")
                  .problems,
              ElementsAre("spec.tfReplicaSpecs: Forbidden: must not have both Chief and Master"));
}

TEST(CheckTfJob, HasAReplica) {
  EXPECT_THAT(
      said("kubeflow.org/v1", "TFJob", "{tfReplicaSpecs: {Worker: {replicas: 0, template: POD(tensorflow)}}}").problems,
      ElementsAre("spec.tfReplicaSpecs: Invalid value: \"object\": must have at least one replica"));
}

Said cron(const std::string& schedule, const std::string& job = "{template: POD(pytorch)}") {
  return said("apps.kubedl.io/v1alpha1", "Cron",
              "{schedule: '" + schedule +
                  "', template: {apiVersion: kubeflow.org/v1, kind: PyTorchJob, workload: {spec: "
                  "{pytorchReplicaSpecs: {Worker: " +
                  job + "}}}}}");
}

TEST(CheckCron, SchedulesThatCannotComeAreRefused) {
  EXPECT_THAT(cron("0 0 29 2 *").problems, IsEmpty());
  EXPECT_THAT(
      cron("5-1 * * * *").problems,
      ElementsAre("spec.schedule: Invalid value: \"5-1 * * * *\": the range 5-1 ends before it begins; write it "
                  "as two"));
  EXPECT_THAT(cron("0 0 31 2,4 *").problems,
              ElementsAre("spec.schedule: Invalid value: \"0 0 31 2,4 *\": this day does not exist in any year; write "
                          "another day or month"));
  EXPECT_THAT(cron("@every 99999999999h").problems,
              ElementsAre("spec.schedule: Invalid value: \"@every 99999999999h\": the time after @every is too long; "
                          "write at most 2562047h"));
}

TEST(CheckCron, TimeZonesExist) {
  EXPECT_THAT(cron("TZ=UTC @daily").problems, IsEmpty());
  const auto problems = cron("CRON_TZ=Mars/Olympus @daily").problems;
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_THAT(problems[0],
              testing::MatchesRegex("spec.schedule: Invalid value: \"CRON_TZ=Mars/Olympus @daily\": .*time "
                                    "zone Mars/Olympus.*; (write a name such as Asia/Shanghai|install "
                                    "tzdata)"));
}

TEST(CheckCron, TheJobIsCheckedAsIfItWereMade) {
  EXPECT_THAT(cron("@daily", "{replicas: -1, template: POD(pytorch)}").problems,
              ElementsAre(testing::StartsWith("spec.template.workload.spec.pytorchReplicaSpecs")));
  EXPECT_THAT(cron("@daily", "{replica: 1, template: POD(pytorch)}").warnings,
              ElementsAre("unknown field \"spec.template.workload.spec.pytorchReplicaSpecs.Worker.replica\"; did you "
                          "mean \"replicas\"?"));
  EXPECT_THAT(
      said("apps.kubedl.io/v1alpha1", "Cron", "{schedule: '@daily', template: {apiVersion: v1, kind: Pod}}").problems,
      ElementsAre(testing::StartsWith("spec.template: Unsupported value: \"v1 Pod\": supported values: "
                                      "\"batch.tensorstack.dev/v1beta1 PyTorchTrainingJob\"")));
}

TEST(CheckTensorBoard, HasNoPriority) {
  json::Document board =
      json::parse_yaml(
          "{apiVersion: tensorstack.dev/v1beta1, kind: TensorBoard, spec: {scheduler: {t9kScheduler: "
          "{queue: q, priority: 1}}}}")
          ->front()
          .value;
  const auto unknown = reflect::unknown_fields(*find_typed("tb")->type, board);
  ASSERT_EQ(unknown.size(), 1u);
  EXPECT_EQ(unknown[0].path, "spec.scheduler.t9kScheduler.priority");
}

struct Poison {
  const char* api_version;
  const char* kind;
  const char* spec;  // COUNT stands for the number
  const char* path;
};

constexpr Poison kPoisons[] = {
    {"kubeflow.org/v1", "PyTorchJob", "{pytorchReplicaSpecs: {Worker: {replicas: COUNT, template: POD(pytorch)}}}",
     "spec.pytorchReplicaSpecs.Worker.replicas"},
    {"kubeflow.org/v1", "PyTorchJob",
     "{elasticPolicy: {minReplicas: 1, maxReplicas: COUNT}, pytorchReplicaSpecs: {Worker: {template: POD(pytorch)}}}",
     "spec.elasticPolicy.maxReplicas"},
    {"kubeflow.org/v1", "TFJob", "{tfReplicaSpecs: {PS: {replicas: COUNT, template: POD(tensorflow)}}}",
     "spec.tfReplicaSpecs.PS.replicas"},
    {"kubeflow.org/v1", "MPIJob",
     "{mpiReplicaSpecs: {Launcher: {template: POD(l)}, Worker: {replicas: COUNT, template: POD(w)}}}",
     "spec.mpiReplicaSpecs.Worker.replicas"},
    {"kubeflow.org/v2beta1", "MPIJob",
     "{mpiReplicaSpecs: {Launcher: {template: POD(l)}, Worker: {replicas: COUNT, template: POD(w)}}}",
     "spec.mpiReplicaSpecs.Worker.replicas"},
    {kTensorStack, "PyTorchTrainingJob", "{replicaSpecs: [{type: worker, replicas: COUNT, template: POD(pytorch)}]}",
     "spec.replicaSpecs[0].replicas"},
    {kTensorStack, "PyTorchTrainingJob",
     "{torchrunConfig: {enabled: true}, elastic: {enabled: true, minReplicas: 1, maxReplicas: COUNT}, replicaSpecs: "
     "[{type: worker, template: POD(pytorch)}]}",
     "spec.elastic.maxReplicas"},
    {kTensorStack, "TensorFlowTrainingJob",
     "{replicaSpecs: [{type: worker, replicas: COUNT, template: POD(tensorflow)}]}", "spec.replicaSpecs[0].replicas"},
    {kTensorStack, "XGBoostTrainingJob",
     "{replicaSpecs: [{type: master, template: POD(xgboost)}, {type: worker, replicas: COUNT, template: "
     "POD(xgboost)}]}",
     "spec.replicaSpecs[1].replicas"},
    {kTensorStack, "MPIJob", "{worker: {replicas: COUNT, cmd: [p], template: POD(worker)}}", "spec.worker.replicas"},
    {kTensorStack, "GenericJob", "{replicaSpecs: [{type: worker, replicas: COUNT, template: POD(main)}]}",
     "spec.replicaSpecs[0].replicas"}};

Said poisoned(const Poison& poison, const std::string& count) {
  std::string spec = poison.spec;
  spec.replace(spec.find("COUNT"), 5, count);
  return said(poison.api_version, poison.kind, spec);
}

TEST(CheckReplicas, ANumberThatWouldTakeTheWholeEngineIsRefused) {
  for (const Poison& poison : kPoisons) {
    const std::string path = poison.path;
    EXPECT_THAT(poisoned(poison, "2147483647").problems, ElementsAre(path + ": Invalid value: 2147483647: " + path +
                                                                     " in body should be less than or equal to 10000"))
        << poison.kind;
  }
}

TEST(CheckReplicas, AThousandAreTaken) {
  for (const Poison& poison : kPoisons) EXPECT_THAT(poisoned(poison, "1000").problems, IsEmpty()) << poison.kind;
}

TEST(CheckReplicas, RolesAreBoundedTogetherToo) {
  EXPECT_THAT(said("kubeflow.org/v1", "PyTorchJob",
                   "{pytorchReplicaSpecs: {Master: {template: POD(pytorch)}, Worker: {replicas: 10000, template: "
                   "POD(pytorch)}}}")
                  .problems,
              ElementsAre("spec.pytorchReplicaSpecs: Invalid value: 10001: a job may have at most 10000 replicas over "
                          "all roles, one pod each"));
  EXPECT_THAT(tensorstack("GenericJob",
                          "{replicaSpecs: [{type: a, replicas: 6000, template: POD(m)}, {type: b, replicas: 6000, "
                          "template: POD(m)}]}")
                  .problems,
              ElementsAre("spec.replicaSpecs: Invalid value: 12000: a job may have at most 10000 replicas over all "
                          "roles, one pod each"));
}

TEST(CheckReplicas, OfADeploymentAreBoundedToo) {
  EXPECT_THAT(said("apps/v1", "Deployment",
                   "{replicas: 2147483647, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, "
                   "spec: {containers: [{name: c, image: i}]}}}")
                  .problems,
              ElementsAre("spec.replicas: Invalid value: 2147483647: a deployment may have at most 10000 replicas, one "
                          "pod each"));
}

/// Returns the errors of a change from one spec to another while the job has this status.
std::vector<std::string> change(const std::string& api_version, const std::string& kind, const std::string& status,
                                const std::string& before, const std::string& after) {
  const auto object = [&](const std::string& spec) {
    return json::parse_yaml("{metadata: {name: j}, spec: " + spec + ", status: " + status + "}")->front().value;
  };
  std::vector<std::string> problems;
  for (const FieldCause& cause : find_kind(api_version, kind)->check_change(object(before), object(after))) {
    problems.push_back(cause.field + ": " + cause.message);
  }
  return problems;
}

constexpr const char* kTwoWorkers =
    "{replicaSpecs: [{type: worker, replicas: 2, template: {spec: {containers: [{name: pytorch, image: i}]}}}]}";

TEST(CheckChanges, OfAJobThatRunsAreRefusedWithWhatToDo) {
  const auto training = [](const std::string& after) {
    return change(kTensorStack, "PyTorchTrainingJob", "{phase: Running}", kTwoWorkers, after);
  };
  EXPECT_THAT(
      training("{replicaSpecs: [{type: worker, replicas: 3, template: {spec: {containers: [{name: pytorch, "
               "image: i, command: [x]}]}}}], torchrunConfig: {enabled: true}}"),
      ElementsAre("spec.replicaSpecs[0].replicas: Forbidden: the number of replicas cannot change while the job "
                  "runs: every rank knows it; pause it (spec.runMode.pause.enabled) first, or make it elastic "
                  "from the start (spec.elastic), or create a new job",
                  "spec.replicaSpecs[0].template.spec: Forbidden: the pods cannot change while the job runs; "
                  "pause it (spec.runMode.pause.enabled) first, or create a new job",
                  "spec.torchrunConfig: Forbidden: it cannot change while the job runs; pause it "
                  "(spec.runMode.pause.enabled) first, or create a new job"));
  EXPECT_THAT(training("{replicaSpecs: []}"),
              ElementsAre("spec.replicaSpecs: Forbidden: the roles cannot change while the job runs; pause it "
                          "(spec.runMode.pause.enabled) first, or create a new job"));
}

TEST(CheckChanges, OfAJobThatWaitsIsPausedOrElasticAreAccepted) {
  const std::string three = "{replicaSpecs: [{type: worker, replicas: 3, template: {}}]}";
  for (const char* phase : {"{phase: Pending}", "{phase: Paused}", "{phase: Failed}", "{}"}) {
    EXPECT_THAT(change(kTensorStack, "PyTorchTrainingJob", phase, kTwoWorkers, three), IsEmpty());
  }
  EXPECT_THAT(change(kTensorStack, "PyTorchTrainingJob", "{phase: Running}",
                     "{elastic: {enabled: true, expectedReplicas: 1}, replicaSpecs: [{type: worker, replicas: 1}]}",
                     "{elastic: {enabled: true, expectedReplicas: 2}, replicaSpecs: [{type: worker, replicas: 2}], "
                     "runMode: {pause: {enabled: true}}}"),
              IsEmpty());
}

TEST(CheckChanges, OfKubeflowJobsFollowTheSameRule) {
  const std::string running = "{conditions: [{type: Running, status: 'True'}]}";
  EXPECT_THAT(change("kubeflow.org/v1", "PyTorchJob", running, "{pytorchReplicaSpecs: {Worker: {replicas: 2}}}",
                     "{pytorchReplicaSpecs: {Worker: {replicas: 3}}, runPolicy: {backoffLimit: 1}}"),
              ElementsAre("spec.pytorchReplicaSpecs[Worker].replicas: Forbidden: the number of replicas cannot change "
                          "while the job runs: every rank knows it; suspend it (spec.runPolicy.suspend) first, or make "
                          "it elastic from the start (spec.elasticPolicy), or create a new job"));
  EXPECT_THAT(change("kubeflow.org/v1", "PyTorchJob", running,
                     "{elasticPolicy: {}, pytorchReplicaSpecs: {Worker: {replicas: 2}}}",
                     "{elasticPolicy: {}, pytorchReplicaSpecs: {Worker: {replicas: 3}}}"),
              IsEmpty());
  EXPECT_THAT(
      change("kubeflow.org/v1", "PyTorchJob", "{conditions: [{type: Running, status: 'False'}]}",
             "{pytorchReplicaSpecs: {Worker: {replicas: 2}}}", "{pytorchReplicaSpecs: {Worker: {replicas: 3}}}"),
      IsEmpty());
}

TEST(CheckAnnotations, OfFailuresHaveKnownValues) {
  const Resource& resource = *find_kind(kTensorStack, "PyTorchTrainingJob");
  const auto object = json::parse_yaml(
      "{metadata: {name: j, annotations: {muster.dev/restart: pod, muster.dev/fail-fast: never}}, spec: {replicaSpecs: "
      "[{type: worker, template: {spec: {containers: [{name: pytorch, image: i}]}}}]}}");
  std::vector<std::string> problems;
  for (const FieldCause& cause : resource.check(object->front().value))
    problems.push_back(cause.field + ": " + cause.message);
  EXPECT_THAT(problems,
              ElementsAre("metadata.annotations[muster.dev/restart]: Unsupported value: \"pod\": supported values: "
                          "\"gang\", \"replica\"",
                          "metadata.annotations[muster.dev/fail-fast]: Unsupported value: \"never\": supported values: "
                          "\"true\", \"false\""));
}

}  // namespace
}  // namespace muster::api
