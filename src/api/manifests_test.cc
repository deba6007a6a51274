// Manifests as users write them: accepted as they are, and their mistakes reported with the path of each.
#include <gmock/gmock.h>

#include "api/resource.h"
#include "json/yaml.h"
#include "reflect/reflect.h"

namespace muster::api {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::IsEmpty;
using ::testing::StartsWith;

json::Document parsed(const std::string& yaml) {
  auto documents = json::parse_yaml(yaml);
  EXPECT_TRUE(documents.has_value()) << (documents ? "" : documents.error().message);
  return documents ? documents->at(0).value : json::Document();
}

const Resource& resource_of(const json::Document& object) {
  const Resource* found = find_kind(object.string_at("apiVersion"), object.string_at("kind"));
  EXPECT_NE(found, nullptr) << object.string_at("kind");
  return *found;
}

/// Everything an API server would report about the manifest, in the same order.
std::vector<std::string> problems(const std::string& yaml) {
  json::Document object = parsed(yaml);
  const Resource& resource = resource_of(object);
  std::vector<std::string> out;
  for (const reflect::UnknownField& field : reflect::unknown_fields(*resource.type, object)) {
    out.push_back("unknown " + field.path + (field.suggestion.empty() ? "" : ", did you mean " + field.suggestion));
  }
  reflect::apply_defaults(*resource.type, object);
  std::vector<FieldCause> causes = reflect::validate(*resource.type, object);
  if (causes.empty()) causes = resource.check(object);
  for (const FieldCause& cause : causes) out.push_back(cause.field + ": " + cause.message);
  return out;
}

/// Expects that no field of the manifest is pruned.
void expect_kept(const std::string& yaml) {
  const json::Document before = parsed(yaml);
  json::Document pruned = before;
  reflect::prune(*resource_of(before).type, pruned);
  EXPECT_TRUE(pruned == before) << json::serialize(pruned);
}

// From the Horovod tutorial, in the newest of the three shapes.
constexpr const char* kHorovod = R"(
apiVersion: batch.tensorstack.dev/v1beta1
kind: MPIJob
metadata: {name: torch-mnist-mpijob}
spec:
  ssh: {sshdPath: /usr/sbin/sshd}
  runPolicy: {cleanUpWorkers: true}
  mpiConfig:
    mca: {btl: ^openib, pml: ob1}
    home: /usr/local
    extraArgs: [-N, "1", --enable-recovery, --max-restarts, "100", --allow-run-as-root]
    script: [python, /t9k/mnt/tutorial-examples/job/mpijob/horovod-torch/torch_mnist_mpijob.py, --log_dir, log, --no_cuda]
  replicaSpecs:
    - type: worker
      replicas: 4
      template:
        spec:
          containers:
            - name: worker
              image: t9kpublic/horovod:sdk-0.5.2
              resources: {requests: {cpu: 4, memory: 2Gi}, limits: {cpu: 8, memory: 4Gi}}
              volumeMounts: [{name: data, mountPath: /t9k/mnt}]
          volumes: [{name: data, persistentVolumeClaim: {claimName: tutorial}}]
    - type: launcher
      replicas: 1
      template: {}
)";

TEST(Manifests, HorovodTutorial) {
  EXPECT_THAT(problems(kHorovod), IsEmpty());
  expect_kept(kHorovod);
}

TEST(Manifests, OlderShapesOfMpiJobs) {
  constexpr const char* kMiddle = R"(
apiVersion: batch.tensorstack.dev/v1beta1
kind: MPIJob
metadata: {name: m}
spec:
  mca: {btl: ^openib}
  mpiHome: /usr/local
  worker:
    replicas: 4
    cmd: [python, a.py]
    extraMPIArgs: [-N, "1"]
    template: {spec: {containers: [{name: mpi-worker, image: i}]}}
)";
  constexpr const char* kOldest = R"(
apiVersion: batch.tensorstack.dev/v1beta1
kind: MPIJob
metadata: {name: m}
spec:
  ssh: {authMountPath: /keys}
  worker:
    cmd: [python, a.py]
    processesPerWorker: 2
    processRecovery: {enable: true, limit: 3}
    template: {spec: {containers: [{name: mpi-worker, image: i}, {name: side, image: i}]}}
)";
  for (const char* text : {kMiddle, kOldest}) {
    EXPECT_THAT(problems(text), IsEmpty());
    expect_kept(text);
  }
}

TEST(Manifests, MistakesInMpiJobs) {
  EXPECT_THAT(problems(R"(
apiVersion: batch.tensorstack.dev/v1beta1
kind: MPIJob
metadata: {name: m}
spec:
  mpiConfig: {scripts: [a], script: [p]}
  replicaSpecs:
    - {type: worker, replica: 2, template: {spec: {containers: [{name: a, image: i}, {name: b, image: i}]}}}
    - {type: launcher, template: {}}
)"),
              ElementsAre("unknown spec.mpiConfig.scripts, did you mean script",
                          "unknown spec.replicaSpecs[0].replica, did you mean replicas",
                          "spec.replicaSpecs[0].template.spec.containers: Required value: must have a container with "
                          "name worker or mpi-worker, or only one"));
}

TEST(Manifests, TensorFlowTrainingJob) {
  constexpr const char* kJob = R"(
apiVersion: batch.tensorstack.dev/v1beta1
kind: TensorFlowTrainingJob
metadata: {name: tf}
spec:
  runMode: {debug: {enabled: true, replicaSpecs: [{type: worker, command: [sleep, inf]}]}}
  runPolicy: {backoffLimit: 5, cleanUpPolicy: Unfinished, activeDeadlineSeconds: 60}
  scheduler: {t9kScheduler: {queue: default, priority: 50}}
  tensorboardSpec:
    trainingLogFilesets: [t9k://pvc/tutorial/log]
    resources: {limits: {cpu: 1, memory: 1Gi}}
  replicaSpecs:
    - {type: ps, template: {spec: {containers: [{name: tensorflow, image: i}]}}}
    - {type: worker, replicas: 4, restartPolicy: ExitCode, template: {spec: {restartPolicy: Never, containers: [{name: tensorflow, image: i}]}}}
)";
  EXPECT_THAT(problems(kJob), IsEmpty());
  expect_kept(kJob);
  EXPECT_THAT(problems(R"(
apiVersion: batch.tensorstack.dev/v1beta1
kind: TensorFlowTrainingJob
metadata: {name: tf}
spec:
  runMode: {debug: {enabled: true, replicaSpecs: [{type: chief}]}}
  tensorboardSpec: {trainingLogFilesets: [s3://x], logDir: {pvc: [{name: p, subPath: [../x]}]}}
  replicaSpecs:
    - {type: worker, scalingWeight: 2, template: {spec: {containers: [{name: tf, image: i}]}}}
)"),
              ElementsAre("unknown spec.replicaSpecs[0].scalingWeight",
                          AllOf(StartsWith("spec.tensorboardSpec.trainingLogFilesets[0]: Invalid value: \"s3://x\": "
                                           "spec.tensorboardSpec.trainingLogFilesets[0] in body should match '^t9k:"),
                                EndsWith("'; write t9k://pvc/NAME/PATH or t9k://minio/SECRET/BUCKET/PATH, without "
                                         "'..'")),
                          AllOf(StartsWith("spec.tensorboardSpec.logDir.pvc[0].subPath[0]: Invalid value: \"../x\": "),
                                EndsWith("; must not lead out of the volume by '..'"))));
}

TEST(Manifests, PlacesOfLogs) {
  const auto count = [](const std::string& spec) {
    return problems("{apiVersion: tensorstack.dev/v1beta1, kind: TensorBoard, metadata: {name: t}, spec: " + spec + "}")
        .size();
  };
  for (const char* good : {"t9k://pvc/p", "t9k://pvc/p/", "t9k://pvc/p/a..b/.c/...", "t9k://pvc/p.q/./log/",
                           "t9k://minio/s/b", "t9k://minio/s/B.x/c"}) {
    EXPECT_EQ(count(std::string("{trainingLogFilesets: ['") + good + "']}"), 0u) << good;
  }
  for (const char* bad :
       {"t9k://pvc/p/../../etc", "t9k://pvc/", "t9k://pvc/../x", "t9k://pvc/P", "t9k://pvc/p/..", "t9k://minio/x",
        "t9k://minio/x/", "t9k://minio/x/../c", "t9k://nfs/x", "t9k://", "pvc/p", ""}) {
    EXPECT_EQ(count(std::string("{trainingLogFilesets: ['") + bad + "']}"), 1u) << bad;
  }
  for (const char* good : {"", ".", "/", "./log", "/a//b/", "..a/b", "a/..."}) {
    EXPECT_EQ(count(std::string("{logDir: {pvc: [{name: p, subPath: ['") + good + "']}]}}"), 0u) << good;
  }
  for (const char* bad : {"..", "../x", "a/../b", "/..", "a/.."}) {
    EXPECT_EQ(count(std::string("{logDir: {pvc: [{name: p, subPath: ['") + bad + "']}]}}"), 1u) << bad;
    EXPECT_EQ(count(std::string("{logDir: {pvc: [{name: p, subpath: ['") + bad + "']}]}}"), 1u) << bad;
  }
  EXPECT_EQ(count("{logDir: {pvc: [{name: p, subpath: [a], subPath: [a]}]}}"), 0u);
  EXPECT_EQ(count("{logDir: {pvc: [{name: p, subpath: [a], subPath: [b]}]}}"), 1u);
}

TEST(Manifests, ContainersAndRolesThatKindsLookFor) {
  EXPECT_THAT(problems(R"(
apiVersion: batch.tensorstack.dev/v1beta1
kind: TensorFlowTrainingJob
metadata: {name: tf}
spec:
  runMode: {pause: {resumeSpecs: [{type: chief}]}}
  replicaSpecs:
    - {type: worker, template: {spec: {containers: [{name: tf, image: i}, {name: side, image: i}]}}}
)"),
              ElementsAre("spec.replicaSpecs[0].template.spec.containers: Required value: must have a container with "
                          "name tensorflow, or only one",
                          "spec.runMode.pause.resumeSpecs[0].type: Unsupported value: \"chief\": supported values: "
                          "\"worker\""));
  // The manual's own sample lacks `spec:` under the worker's template.
  EXPECT_THAT(problems(R"(
apiVersion: batch.tensorstack.dev/v1beta1
kind: XGBoostTrainingJob
metadata: {name: xgb}
spec:
  replicaSpecs:
    - {type: master, template: {spec: {containers: [{name: xgboost, image: i}]}}}
    - {type: worker, template: {containers: [{name: xgboost, image: i}]}}
)"),
              ElementsAre("unknown spec.replicaSpecs[1].template.containers",
                          "spec.replicaSpecs[1].template.spec.containers: Required value: at least one container"));
}

TEST(Manifests, GenericJob) {
  constexpr const char* kJob = R"yaml(
apiVersion: batch.tensorstack.dev/v1beta1
kind: GenericJob
metadata: {name: g}
spec:
  service: {ports: [{name: p, port: 2222}]}
  successRules: [{server: [0], client: [0, 1]}]
  failureRules: [{client: [1]}]
  cleanUpPolicy: All
  replicaSpecs:
    - {type: server, restartPolicy: {policy: Always, limit: 3}, template: {spec: {containers: [{name: c, image: i, args: ["$(service.server[0].host)"]}]}}}
    - {type: client, replicas: 2, template: {spec: {containers: [{name: c, image: i}]}}}
)yaml";
  EXPECT_THAT(problems(kJob), IsEmpty());
  expect_kept(kJob);
  EXPECT_THAT(problems(R"yaml(
apiVersion: batch.tensorstack.dev/v1beta1
kind: GenericJob
metadata: {name: g}
spec:
  successRules: [{server: [0], clint: [0]}]
  failureRules: [{client: [2]}]
  replicaSpecs:
    - {type: server, template: {spec: {containers: [{name: c, image: i, env: [{name: A, value: "$(service.port[p])"}]}]}}}
    - {type: client, replicas: 2, template: {spec: {containers: [{name: c, image: i}]}}}
)yaml"),
              ElementsAre("spec.replicaSpecs[0].template.spec.containers[0].env[0].value: Invalid value: "
                          "\"$(service.port[p])\": uses a service variable; set spec.service",
                          "spec.successRules[0].clint: Unsupported value: \"clint\": supported values: \"server\", "
                          "\"client\"; did you mean \"client\"?",
                          "spec.failureRules[0].client[0]: Invalid value: 2: must be the index of a replica of client, "
                          "which has 2"));
}

TEST(Manifests, KubeflowJobs) {
  constexpr const char* kTf = R"(
apiVersion: kubeflow.org/v1
kind: TFJob
metadata: {name: mnist}
spec:
  runPolicy: {cleanPodPolicy: Running, schedulingPolicy: {minAvailable: 3, queue: q}}
  successPolicy: AllWorkers
  enableDynamicWorker: true
  tfReplicaSpecs:
    PS: {replicas: 1, template: {spec: {containers: [{name: tensorflow, image: i}]}}}
    Worker: {replicas: 2, restartPolicy: OnFailure, template: {spec: {containers: [{name: tensorflow, image: i}]}}}
)";
  constexpr const char* kMpi = R"(
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: pi}
spec:
  slotsPerWorker: 2
  sshAuthMountPath: /home/mpiuser/.ssh
  launcherCreationPolicy: WaitForWorkersReady
  mpiImplementation: OpenMPI
  runLauncherAsWorker: true
  runPolicy: {cleanPodPolicy: Running, ttlSecondsAfterFinished: 60, managedBy: kubeflow.org/mpi-operator}
  mpiReplicaSpecs:
    Launcher: {replicas: 1, template: {spec: {containers: [{name: launcher, image: i}]}}}
    Worker: {replicas: 2, template: {spec: {containers: [{name: worker, image: i}]}}}
)";
  for (const char* text : {kTf, kMpi}) {
    EXPECT_THAT(problems(text), IsEmpty());
    expect_kept(text);
  }
  EXPECT_THAT(problems(R"(
apiVersion: kubeflow.org/v1
kind: TFJob
metadata: {name: Mnist}
spec:
  tfReplicaSpecs:
    Wroker: {template: {spec: {containers: [{name: tensorflow, image: i}]}}}
    Chief: {replicas: 2, template: {spec: {containers: [{name: x, image: i}]}}}
)")
                  .size(),
              4u);
}

TEST(Manifests, Cron) {
  constexpr const char* kCron = R"(
apiVersion: apps.kubedl.io/v1alpha1
kind: Cron
metadata: {name: nightly}
spec:
  schedule: "30 1 * * 1-5"
  concurrencyPolicy: Forbid
  deadline: "2026-12-31T00:00:00Z"
  historyLimit: 3
  template:
    apiVersion: kubeflow.org/v1
    kind: TFJob
    workload: {spec: {tfReplicaSpecs: {Worker: {replicas: 1, template: {spec: {containers: [{name: tensorflow, image: i}]}}}}}}
)";
  EXPECT_THAT(problems(kCron), IsEmpty());
  expect_kept(kCron);
  EXPECT_THAT(problems(R"(
apiVersion: apps.kubedl.io/v1alpha1
kind: Cron
metadata: {name: nightly}
spec: {schedule: "@dayly", concurrencyPolicy: forbid, deadline: noon, template: {apiVersion: v, kind: k}}
)")[1],
              "spec.concurrencyPolicy: Unsupported value: \"forbid\": supported values: \"Allow\", \"Forbid\", "
              "\"Replace\"; did you mean \"Forbid\"?");
}

}  // namespace
}  // namespace muster::api
