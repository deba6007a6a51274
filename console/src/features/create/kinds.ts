// The forms of all kinds of jobs, on one model (form.ts). The values to choose from are those of the API's types.
import type {
  GenericRestartPolicy, KubeflowOrgV1MPIJobSpec, ReplicaSpec, RunPolicy, TensorFlowReplicaSpec, TorchrunConfig, TrainingReplicaSpec, TrainingRunPolicy, XGBoostReplicaSpec,
} from "#types";
import type { JobKind } from "../../api/jobs";
import * as codecs from "./codecs";
import type { Manifest, Path } from "./document";
import { at, field, section, type FieldSpec, type JobForm, type RoleShape, type Section } from "./form";

const restarts: NonNullable<TrainingReplicaSpec["restartPolicy"] & ReplicaSpec["restartPolicy"]>[] = ["OnFailure", "Never", "Always", "ExitCode"];
const genericRestarts: NonNullable<GenericRestartPolicy["policy"]>[] = ["OnFailure", "Never", "Always"];
const cleanUps: NonNullable<TrainingRunPolicy["cleanUpPolicy"]>[] = ["None", "Unfinished", "All"];
const cleanPods: NonNullable<RunPolicy["cleanPodPolicy"]>[] = ["None", "Running", "All"];
const rendezvous: NonNullable<TorchrunConfig["rdzvBackend"]>[] = ["c10d", "etcd", "etcd-v2"];
const tensorflowRoles: TensorFlowReplicaSpec["type"][] = ["worker", "chief", "ps", "evaluator"];
const xgboostRoles: XGBoostReplicaSpec["type"][] = ["master", "worker"];
const implementations: NonNullable<KubeflowOrgV1MPIJobSpec["mpiImplementation"]>[] = ["OpenMPI", "Intel", "MPICH"];

// ---- what several kinds share ----

const name = field("create.name", at("metadata.name"), codecs.text, { required: true, help: "create.nameHelp" });
const labels = field("create.labels", at("metadata.labels"), codecs.pairs, { long: true, help: "create.envHelp" });
const ttl = (path: string) => field("create.ttl", at(path), codecs.number);

const scheduler = section("create.scheduler", at("spec.scheduler.t9kScheduler"), { queue: "default", priority: 50 }, [
  field("create.queue", at("spec.scheduler.t9kScheduler.queue")),
  field("create.priority", at("spec.scheduler.t9kScheduler.priority"), codecs.number, { help: "create.priorityHelp" }),
], ["create.schedulerDefault", "create.schedulerT9k"]);

const trainingPolicy = section("create.runPolicy", at("spec.runPolicy"), {}, [
  field("create.backoffLimit", at("spec.runPolicy.backoffLimit"), codecs.number),
  field("create.deadline", at("spec.runPolicy.activeDeadlineSeconds"), codecs.number),
  field("create.cleanUp", at("spec.runPolicy.cleanUpPolicy"), codecs.text, { options: ["", ...cleanUps] }),
  ttl("spec.runPolicy.ttlSecondsAfterFinished"),
]);

const kubeflowPolicy = section("create.runPolicy", at("spec.runPolicy"), {}, [
  field("create.backoffLimit", at("spec.runPolicy.backoffLimit"), codecs.number),
  field("create.deadline", at("spec.runPolicy.activeDeadlineSeconds"), codecs.number),
  field("create.cleanUp", at("spec.runPolicy.cleanPodPolicy"), codecs.text, { options: ["", ...cleanPods] }),
  ttl("spec.runPolicy.ttlSecondsAfterFinished"),
  field("create.queue", at("spec.runPolicy.schedulingPolicy.queue")),
  field("create.minAvailable", at("spec.runPolicy.schedulingPolicy.minAvailable"), codecs.number),
  field("create.priorityClass", at("spec.runPolicy.schedulingPolicy.priorityClass")),
]);

const tensorboard = section("create.tensorboard", at("spec.tensorboardSpec"), { image: "" }, [
  field("create.logFolders", at("spec.tensorboardSpec.logDir.pvc"), codecs.logFolders, { long: true, help: "create.logFoldersHelp" }),
  field("create.filesets", at("spec.tensorboardSpec.trainingLogFilesets"), codecs.lines, { long: true, help: "create.filesetsHelp" }),
  field("create.image", at("spec.tensorboardSpec.image")),
  field("create.cpuLimit", at("spec.tensorboardSpec.resources.limits.cpu"), codecs.number),
  field("create.memoryLimit", at("spec.tensorboardSpec.resources.limits.memory")),
]);

const debug = section("create.debug", at("spec.runMode.debug"), { enabled: true }, []);

const template = (container: string): Manifest => ({ spec: { containers: [{ name: container }] } });

const restart = (options: readonly string[]) => (role: Path): FieldSpec[] => [field("create.restartPolicy", [...role, "restartPolicy"], codecs.text, { options, keep: role.length })];

function listed(names: readonly string[], container: (role: string) => string, more: Partial<RoleShape> = {}): RoleShape {
  return {
    path: at("spec.replicaSpecs"), keyed: false, names, container, restart: restart(restarts),
    initial: (role) => ({ type: role, replicas: 1, restartPolicy: "OnFailure", template: template(container(role)) }), ...more,
  };
}

function keyed(path: string, names: readonly string[], container: (role: string) => string): RoleShape {
  return {
    path: at(path), keyed: true, names, container, restart: restart(["", ...restarts]),
    initial: (role) => ({ replicas: 1, restartPolicy: role === "Launcher" ? "Never" : "OnFailure", template: template(container(role)) }),
  };
}

// ---- the kinds ----

interface KindForm extends JobForm {
  /** The roles that a new job begins with. */
  begin: string[];
}

const torchrun: Section = section("create.torchrun", at("spec.torchrunConfig"), { enabled: true, maxRestarts: 3, procPerNode: "1", rdzvBackend: "c10d" }, [
  field("create.processes", at("spec.torchrunConfig.procPerNode"), codecs.text, { required: true, help: "create.processesHelp" }),
  field("create.maxRestarts", at("spec.torchrunConfig.maxRestarts"), codecs.number),
  field("create.rdzvBackend", at("spec.torchrunConfig.rdzvBackend"), codecs.text, { options: ["", ...rendezvous] }),
  field("create.extraOptions", at("spec.torchrunConfig.extraOptions"), codecs.words),
]);

const elastic = section("create.elastic", at("spec.elastic"), { enabled: true, minReplicas: 1, maxReplicas: 2, expectedReplicas: 1 }, [
  field("create.minReplicas", at("spec.elastic.minReplicas"), codecs.number),
  field("create.maxReplicas", at("spec.elastic.maxReplicas"), codecs.number),
  field("create.expectedReplicas", at("spec.elastic.expectedReplicas"), codecs.number),
]);

const forms: Record<string, KindForm> = {
  "batch.tensorstack.dev/PyTorchTrainingJob": {
    general: [name, torchrun, elastic, scheduler, trainingPolicy, tensorboard, debug, labels],
    roles: listed([], () => "pytorch"), begin: ["worker"],
  },
  "batch.tensorstack.dev/TensorFlowTrainingJob": {
    general: [name, scheduler, trainingPolicy, tensorboard, debug, labels],
    roles: listed(tensorflowRoles, () => "tensorflow"), begin: ["worker"],
  },
  "batch.tensorstack.dev/XGBoostTrainingJob": {
    general: [name, scheduler, trainingPolicy, debug, labels],
    roles: listed(xgboostRoles, () => "xgboost"), begin: ["master", "worker"],
  },
  "batch.tensorstack.dev/MPIJob": {
    general: [
      name,
      field("create.script", at("spec.mpiConfig.script"), codecs.words, { required: true, long: true, help: "create.commandHelp" }),
      field("create.mpiArgs", at("spec.mpiConfig.extraArgs"), codecs.words, { long: true, help: "create.mpiArgsHelp" }),
      field("create.mca", at("spec.mpiConfig.mca"), codecs.pairs, { long: true, help: "create.envHelp" }),
      field("create.mpiHome", at("spec.mpiConfig.home")),
      field("create.sshdPath", at("spec.ssh.sshdPath")),
      field("create.authMountPath", at("spec.ssh.authMountPath")),
      scheduler,
      section("create.runPolicy", at("spec.runPolicy"), {}, [
        field("create.cleanUpWorkers", at("spec.runPolicy.cleanUpWorkers"), codecs.flag),
        ttl("spec.runPolicy.ttlSecondsAfterFinished"),
      ]),
      debug, labels,
    ],
    // The launcher's pod is made from the workers' when its template is empty.
    roles: listed(["worker", "launcher"], (role) => role, {
      restart: restart(["", ...restarts]),
      initial: (role) => ({ type: role, replicas: 1, template: role === "launcher" ? {} : template(role) }),
    }),
    begin: ["worker", "launcher"],
  },
  "batch.tensorstack.dev/GenericJob": {
    general: [
      name,
      field("create.successRules", at("spec.successRules"), codecs.mappings, { long: true, help: "create.rulesHelp" }),
      field("create.failureRules", at("spec.failureRules"), codecs.mappings, { long: true, help: "create.rulesHelp" }),
      field("create.ports", at("spec.service.ports"), codecs.mappings, { long: true, help: "create.portsHelp" }),
      field("create.cleanUp", at("spec.cleanUpPolicy"), codecs.text, { options: ["", ...cleanUps] }),
      ttl("spec.ttlSecondsAfterFinished"),
      scheduler, debug, labels,
    ],
    roles: listed([], (role) => role, {
      restart: (role) => [
        field("create.restartPolicy", [...role, "restartPolicy", "policy"], codecs.text, { options: genericRestarts, keep: role.length }),
        field("create.restartLimit", [...role, "restartPolicy", "limit"], codecs.number, { keep: role.length }),
      ],
      initial: (role) => ({ type: role, replicas: 1, restartPolicy: { policy: "OnFailure", limit: 3 }, template: template(role) }),
    }),
    begin: ["worker"],
  },
  "kubeflow.org/PyTorchJob": {
    general: [
      name,
      field("create.processes", at("spec.nprocPerNode"), codecs.text, { help: "create.processesHelp" }),
      section("create.elastic", at("spec.elasticPolicy"), { minReplicas: 1, maxReplicas: 2, rdzvBackend: "c10d" }, [
        field("create.minReplicas", at("spec.elasticPolicy.minReplicas"), codecs.number),
        field("create.maxReplicas", at("spec.elasticPolicy.maxReplicas"), codecs.number),
        field("create.maxRestarts", at("spec.elasticPolicy.maxRestarts"), codecs.number),
        field("create.rdzvBackend", at("spec.elasticPolicy.rdzvBackend"), codecs.text, { options: ["", ...rendezvous] }),
      ]),
      kubeflowPolicy, labels,
    ],
    roles: keyed("spec.pytorchReplicaSpecs", ["Master", "Worker"], () => "pytorch"), begin: ["Master"],
  },
  "kubeflow.org/TFJob": {
    general: [
      name, kubeflowPolicy,
      field("create.successPolicy", at("spec.successPolicy"), codecs.text, { options: ["", "AllWorkers"] }),
      field("create.dynamicWorker", at("spec.enableDynamicWorker"), codecs.flag),
      labels,
    ],
    roles: keyed("spec.tfReplicaSpecs", ["Worker", "Chief", "PS", "Evaluator"], () => "tensorflow"), begin: ["Worker"],
  },
  "kubeflow.org/MPIJob": {
    general: [
      name,
      field("create.slots", at("spec.slotsPerWorker"), codecs.number),
      field("create.mpiImplementation", at("spec.mpiImplementation"), codecs.text, { options: ["", ...implementations] }),
      kubeflowPolicy, labels,
    ],
    roles: keyed("spec.mpiReplicaSpecs", ["Launcher", "Worker"], (role) => role.toLowerCase()), begin: ["Launcher", "Worker"],
  },
};

/** The form of a kind; a kind that the server has and this console does not know has none. */
export const formOf = (kind: { group: string; kind: string }): KindForm | undefined => forms[`${kind.group}/${kind.kind}`];

/** What a new job begins with. */
export function beginning(kind: JobKind): Manifest {
  const form = formOf(kind);
  const head = { apiVersion: `${kind.group}/${kind.version}`, kind: kind.kind, metadata: { name: "" } };
  if (!form) return { ...head, spec: {} };
  const { path, keyed: byName, initial } = form.roles;
  const roles = byName ? Object.fromEntries(form.begin.map((role) => [role, initial(role)])) : form.begin.map((role) => ({ ...initial(role) }));
  return { ...head, spec: { [String(path[1])]: roles } };
}
