// Written from the descriptors in src/api; do not edit. MUSTER_UPDATE_GOLDEN=1 api_test renews it.

/** How many replicas of the job are in which phase. */
export interface AggregateStatus {
  /** Number of replicas whose pod is being created. */
  creating?: number;
  /** Number of waiting replicas. */
  pending?: number;
  /** Number of running replicas. */
  running?: number;
  /** Number of succeeded replicas. */
  succeeded?: number;
  /** Number of failed replicas. */
  failed?: number;
  /** Number of replicas in an unknown state. */
  unknown?: number;
  /** Number of replicas whose pod was deleted. */
  deleted?: number;
}

/** A program that mpirun starts on several workers, such as Horovod. */
export interface BatchTensorstackDevV1beta1MPIJob {
  /** Group and version of the schema this object is written in. */
  apiVersion: "batch.tensorstack.dev/v1beta1";
  /** The type of this object; cannot be changed. */
  kind: "MPIJob";
  /** Name, labels, owners and history. */
  metadata?: ObjectMeta;
  /** What the job runs, and how. */
  spec: BatchTensorstackDevV1beta1MPIJobSpec;
  /** Status of the job; written by the controller. */
  status?: TrainingJobStatus;
}

/** What a job runs, and how. */
export interface BatchTensorstackDevV1beta1MPIJobSpec {
  /** Run, debug or pause; run if not set. */
  runMode?: RunMode;
  /** Scheduler of the pods. */
  scheduler?: SchedulePolicy;
  /** What remains of the job when it ends. */
  runPolicy?: LauncherRunPolicy;
  /** How the launcher reaches the workers. */
  ssh?: SSHConfig;
  /** What mpirun runs, and how. */
  mpiConfig?: MPIConfig;
  /** Roles of the job: one launcher, and workers. */
  replicaSpecs?: BatchTensorstackDevV1beta1MPIReplicaSpec[];
  /** Older form of replicaSpecs and mpiConfig. */
  worker?: MPIWorkerSpec;
  /** Older form of mpiConfig.mca. */
  mca?: Record<string, string>;
  /** Older form of mpiConfig.home. */
  mpiHome?: string;
}

/** One role of a job: how many replicas, and what they run. */
export interface BatchTensorstackDevV1beta1MPIReplicaSpec {
  /** Name of the role, unique in the job. */
  type: "launcher" | "worker";
  /** How many replicas the role has. */
  replicas?: number;
  /** When a replica that ended restarts. */
  restartPolicy?: "Never" | "OnFailure" | "Always" | "ExitCode";
  /** Template of the role's pods. */
  template: PodTemplateSpec;
}

/** One aspect of the state of an object, with when and why it last changed. */
export interface Condition {
  /** The aspect this is about. */
  type: string;
  /** Whether it holds. */
  status: "True" | "False" | "Unknown";
  /** One word for why it is so, for programs. */
  reason?: string;
  /** A sentence for why it is so, for people. */
  message?: string;
  /** When the condition was last looked at and changed. */
  lastUpdateTime?: string;
  /** When status last changed. */
  lastTransitionTime?: string;
  lastProbeTime?: unknown;
  lastHeartbeatTime?: unknown;
  observedGeneration?: unknown;
}

/** Texts that pods read as files or variables. */
export interface ConfigMap {
  /** Group and version of the schema this object is written in. */
  apiVersion: "v1";
  /** The type of this object; cannot be changed. */
  kind: "ConfigMap";
  /** Name, labels, owners and history. */
  metadata?: ObjectMeta;
  /** Texts by name. */
  data?: Record<string, string>;
  /** Bytes by name, in base64. */
  binaryData?: Record<string, string>;
  /** When true, the contents can no longer be changed. */
  immutable?: boolean;
}

/** One program of a pod. */
export interface Container {
  /** Name of the container, unique in the pod. */
  name: string;
  /** Image, which selects the environment that the program runs in. */
  image?: string;
  /** Program and first arguments; replaces the image's entry point. */
  command?: string[];
  /** Arguments that follow the command. */
  args?: string[];
  /** Directory the program starts in; made when missing. */
  workingDir?: string;
  /** Environment variables, later ones may refer to earlier ones. */
  env?: EnvVar[];
  /** Ports the program listens on. */
  ports?: ContainerPort[];
  /** CPU, memory and devices the container needs and may use. */
  resources?: ResourceRequirements;
  /** Volumes of the pod that the container sees, and where. */
  volumeMounts?: VolumeMount[];
  envFrom?: unknown;
  imagePullPolicy?: unknown;
  lifecycle?: unknown;
  livenessProbe?: unknown;
  readinessProbe?: unknown;
  resizePolicy?: unknown;
  restartPolicy?: unknown;
  securityContext?: unknown;
  startupProbe?: unknown;
  stdin?: unknown;
  stdinOnce?: unknown;
  terminationMessagePath?: unknown;
  terminationMessagePolicy?: unknown;
  tty?: unknown;
  volumeDevices?: unknown;
}

/** What a container uses. */
export interface ContainerMetrics {
  /** Name of the container. */
  name?: string;
  /** Processor and memory that are used. */
  usage?: Record<string, number | string>;
}

/** A port that a container listens on. */
export interface ContainerPort {
  /** Name by which services and jobs find the port. */
  name?: string;
  /** Number of the port. */
  containerPort: number;
  hostIP?: unknown;
  hostPort?: unknown;
  protocol?: unknown;
}

/** The state of a container; exactly one member is set. */
export interface ContainerState {
  /** It does not run yet. */
  waiting?: ContainerStateWaiting;
  /** It runs. */
  running?: ContainerStateRunning;
  /** It ended. */
  terminated?: ContainerStateTerminated;
}

/** A container that runs. */
export interface ContainerStateRunning {
  /** When it was started. */
  startedAt?: string;
}

/** How a container ended. */
export interface ContainerStateTerminated {
  /** Exit code of the program. */
  exitCode: number;
  /** Signal that ended the program. */
  signal?: number;
  /** One word for how it ended. */
  reason?: string;
  /** A sentence for how it ended. */
  message?: string;
  /** When the program was started. */
  startedAt?: string;
  /** When the program ended. */
  finishedAt?: string;
  containerID?: unknown;
}

/** A container that does not run yet. */
export interface ContainerStateWaiting {
  /** One word for what it waits for. */
  reason?: string;
  /** A sentence for what it waits for. */
  message?: string;
}

/** What is known about one container of a pod. */
export interface ContainerStatus {
  /** Name of the container. */
  name: string;
  /** Its state now. */
  state?: ContainerState;
  /** How it ended the time before, if it was restarted. */
  lastState?: ContainerState;
  /** Whether it is up and passes its readiness probe. */
  ready: boolean;
  /** Whether it was started and its startup probe passed. */
  started?: boolean;
  /** Number of restarts. */
  restartCount: number;
  /** Image it runs. */
  image: string;
  /** Exact image it runs. */
  imageID: string;
  allocatedResources?: unknown;
  allocatedResourcesStatus?: unknown;
  containerID?: unknown;
  resources?: unknown;
  stopSignal?: unknown;
  user?: unknown;
  volumeMounts?: unknown;
}

/** Makes a job by a schedule. */
export interface Cron {
  /** Group and version of the schema this object is written in. */
  apiVersion: "apps.kubedl.io/v1alpha1";
  /** The type of this object; cannot be changed. */
  kind: "Cron";
  /** Name, labels, owners and history. */
  metadata?: ObjectMeta;
  /** When which job is made. */
  spec: CronSpec;
  /** Created jobs; written by the controller. */
  status?: CronStatus;
}

/** One job that was made. */
export interface CronHistory {
  /** Unique id of the job. */
  uid?: string;
  /** Which job it is. */
  object?: CronWorkloadReference;
  /** How far it is, or how it ended. */
  status?: string;
  /** When it was made. */
  created?: string;
  /** When it ended. */
  finished?: string;
}

/** When which job is made. */
export interface CronSpec {
  /** When, as minute, hour, day, month and day of the week; @daily, or @every 5m. */
  schedule: string;
  /** What to do while the previous job still runs. */
  concurrencyPolicy?: "Allow" | "Forbid" | "Replace";
  /** While true, no jobs are created. */
  suspend?: boolean;
  /** When the schedule ends; never if not set. */
  deadline?: string;
  /** How many finished jobs are kept. */
  historyLimit?: number;
  /** The job that is made. */
  template: CronTemplate;
}

/** Which jobs were made. */
export interface CronStatus {
  /** Jobs that are not finished. */
  active?: ObjectReference[];
  /** Created jobs, the newest last. */
  history?: CronHistory[];
  /** When a job was made last. */
  lastScheduleTime?: string;
}

/** Template of the job that is created at each scheduled time. */
export interface CronTemplate {
  /** Group and version of the job. */
  apiVersion: string;
  /** Kind of the job. */
  kind: string;
  /** The job itself: its metadata and spec. */
  workload?: unknown;
}

/** Reference to a created job. */
export interface CronWorkloadReference {
  /** Group of the job. */
  apiGroup?: string;
  /** Kind of the job. */
  kind: string;
  /** Name of the job. */
  name: string;
}

/** A kind that is not Kubernetes' own. The engine has its own kinds and accepts no others. */
export interface CustomResourceDefinition {
  /** Group and version of the schema this object is written in. */
  apiVersion: "apiextensions.k8s.io/v1";
  /** The type of this object; cannot be changed. */
  kind: "CustomResourceDefinition";
  /** Name, labels and history. */
  metadata?: ObjectMeta;
  /** What the kind is. */
  spec?: CustomResourceDefinitionSpec;
  /** Whether the kind is served. */
  status?: CustomResourceDefinitionStatus;
}

/** How the kind is called. */
export interface CustomResourceDefinitionNames {
  /** Name in paths. */
  plural?: string;
  /** Name of one. */
  singular?: string;
  /** Name in manifests. */
  kind?: string;
  /** Name of a list of them. */
  listKind?: string;
  /** Names to type. */
  shortNames?: string[];
  /** Groups of kinds it is listed with, such as all. */
  categories?: string[];
}

/** What a kind is. */
export interface CustomResourceDefinitionSpec {
  /** Group of the kind. */
  group?: string;
  /** How the kind is called. */
  names?: CustomResourceDefinitionNames;
  /** Whether its objects are in namespaces. */
  scope?: string;
  /** Versions of the kind. */
  versions?: CustomResourceDefinitionVersion[];
  conversion?: unknown;
  preserveUnknownFields?: unknown;
}

/** Whether a kind is served. */
export interface CustomResourceDefinitionStatus {
  /** Whether it is served under its names, and why. */
  conditions?: Condition[];
  /** Names under which it is served. */
  acceptedNames?: CustomResourceDefinitionNames;
  /** Versions in which objects were ever stored. */
  storedVersions?: string[];
}

/** One version of the kind. */
export interface CustomResourceDefinitionVersion {
  /** Name of the version. */
  name: string;
  /** Whether it is served. */
  served?: boolean;
  /** Whether objects are stored in it. */
  storage?: boolean;
  additionalPrinterColumns?: unknown;
  deprecated?: unknown;
  deprecationWarning?: unknown;
  schema?: unknown;
  selectableFields?: unknown;
  subresources?: unknown;
}

/** Debug mode: pods are created but wait for a user instead of training. */
export interface DebugMode {
  /** Whether the job runs in debug mode. */
  enabled?: boolean;
  /** Older spelling of enabled. */
  enable?: boolean;
  /** Settings per role; other roles use the defaults. */
  replicaSpecs?: DebugReplicaSpec[];
}

/** How the pods of one role run in debug mode. */
export interface DebugReplicaSpec {
  /** Role that this applies to; one of those in replicaSpecs. */
  type: string;
  /** Whether init containers are left out. */
  skipInitContainer?: boolean;
  /** Command to run instead of the training program; sleeps by default. */
  command?: string[];
}

/** Pods that are always there in the wanted number. */
export interface Deployment {
  /** Group and version of the schema this object is written in. */
  apiVersion: "apps/v1";
  /** The type of this object; cannot be changed. */
  kind: "Deployment";
  /** Name, labels, owners and history. */
  metadata?: ObjectMeta;
  /** Which pods run, and how many. */
  spec?: DeploymentSpec;
  /** Its status; written by the controller. */
  status?: DeploymentStatus;
}

/** Which pods run, and how many. */
export interface DeploymentSpec {
  /** How many pods are wanted. */
  replicas?: number;
  /** Labels by which the pods are known; the template must have them. */
  selector?: LabelSelector;
  /** From which the pods are made. */
  template: PodTemplateSpec;
  /** How pods are replaced when the template changes. */
  strategy?: DeploymentStrategy;
  /** Seconds a pod must be ready before it counts as available. */
  minReadySeconds?: number;
  /** How many older templates are kept. */
  revisionHistoryLimit?: number;
  /** While true, changes of the template have no effect. */
  paused?: boolean;
  /** Seconds without progress after which it counts as failed. */
  progressDeadlineSeconds?: number;
}

/** What is known about a deployment. */
export interface DeploymentStatus {
  /** Generation of the deployment that this status is about. */
  observedGeneration?: number;
  /** Pods that there are. */
  replicas?: number;
  /** Pods made from the current template. */
  updatedReplicas?: number;
  /** Pods that are ready. */
  readyReplicas?: number;
  /** Pods that are ready for long enough. */
  availableReplicas?: number;
  /** Pods that are still missing. */
  unavailableReplicas?: number;
  /** Whether it is available and makes progress, and why. */
  conditions?: Condition[];
  collisionCount?: unknown;
  terminatingReplicas?: unknown;
}

/** How pods are replaced when the template changes. */
export interface DeploymentStrategy {
  /** All at once, or a few at a time. */
  type?: "Recreate" | "RollingUpdate";
  /** How fast, a few at a time. */
  rollingUpdate?: RollingUpdateDeployment;
}

/** Lets the number of replicas change while the job runs; needs torchrun. */
export interface ElasticConfig {
  /** Whether the job is elastic. */
  enabled?: boolean;
  /** Older spelling of enabled. */
  enable?: boolean;
  /** Minimum number of replicas. */
  minReplicas?: number;
  /** Maximum number of replicas. */
  maxReplicas?: number;
  /** Wanted number of replicas; may be changed, and is used instead of replicas. */
  expectedReplicas?: number;
}

/** Launches the workers through torchrun, and lets their number change. */
export interface ElasticPolicy {
  /** Minimum number of workers. */
  minReplicas?: number;
  /** Maximum number of workers. */
  maxReplicas?: number;
  /** How the workers find each other: c10d, etcd or etcd-v2. */
  rdzvBackend?: string;
  /** Port of the rendezvous. */
  rdzvPort?: number;
  /** Host of the rendezvous; the first worker if not set. */
  rdzvHost?: string;
  /** Name of the rendezvous. */
  rdzvId?: string;
  /** More settings of the rendezvous backend. */
  rdzvConf?: RDZVConf[];
  /** Whether each worker is a rendezvous of its own. */
  standalone?: boolean;
  /** Processes per worker; superseded by spec.nprocPerNode. */
  nProcPerNode?: number;
  /** Restarts of the processes inside a worker. */
  maxRestarts?: number;
  /** Metrics of a cluster's autoscaler. */
  metrics?: unknown;
}

/** A folder that is empty when the pod starts and gone when it ends. */
export interface EmptyDirVolume {
  /** Empty for disk, Memory for a file system in memory. */
  medium?: string;
  /** How much it may hold. */
  sizeLimit?: number | string;
}

/** One environment variable of a container. */
export interface EnvVar {
  /** Name of the variable. */
  name: string;
  /** Its value; $(OTHER) refers to a variable defined before it. */
  value?: string;
  valueFrom?: unknown;
}

/** Something that happened to an object, kept for a while. */
export interface Event {
  /** Group and version of the schema this object is written in. */
  apiVersion: "v1";
  /** The type of this object; cannot be changed. */
  kind: "Event";
  /** Name, namespace and history. */
  metadata: ObjectMeta;
  /** The object it happened to. */
  involvedObject: ObjectReference;
  /** One word for what happened. */
  reason?: string;
  /** A sentence for what happened. */
  message?: string;
  /** Normal or Warning. */
  type?: string;
  /** Who saw it. */
  source?: EventSource;
  /** When it was seen first. */
  firstTimestamp?: string;
  /** When it was seen last. */
  lastTimestamp?: string;
  /** How often it was seen. */
  count?: number;
  action?: unknown;
  eventTime?: unknown;
  related?: unknown;
  reportingComponent?: unknown;
  reportingInstance?: unknown;
  series?: unknown;
}

/** Who saw an event. */
export interface EventSource {
  /** Program that reports it. */
  component?: string;
  /** Machine it was seen on. */
  host?: string;
}

/** Arbitrary programs in several roles. */
export interface GenericJob {
  /** Group and version of the schema this object is written in. */
  apiVersion: "batch.tensorstack.dev/v1beta1";
  /** The type of this object; cannot be changed. */
  kind: "GenericJob";
  /** Name, labels, owners and history. */
  metadata?: ObjectMeta;
  /** What the job runs, and when it succeeds or fails. */
  spec: GenericJobSpec;
  /** Status of the job; written by the controller. */
  status?: TrainingJobStatus;
}

/** What a job runs, and when it succeeds or fails. */
export interface GenericJobSpec {
  /** Run, debug or pause; run if not set. */
  runMode?: RunMode;
  /** Scheduler of the pods. */
  scheduler?: SchedulePolicy;
  /** The job succeeds when all replicas of one rule have succeeded. */
  successRules?: Record<string, number[]>[];
  /** The job fails when all replicas of one rule have failed for good. */
  failureRules?: Record<string, number[]>[];
  /** Gives every replica a name; replicas have no names if not set. */
  service?: GenericService;
  /** Which pods are deleted when the job ends. */
  cleanUpPolicy?: "None" | "Unfinished" | "All";
  /** Seconds to keep the job after it ends; kept until deleted if not set. */
  ttlSecondsAfterFinished?: number;
  /** Roles of the job. */
  replicaSpecs: GenericReplicaSpec[];
}

/** One role of a job: how many replicas, and what they run. */
export interface GenericReplicaSpec {
  /** Name of the role, unique in the job. */
  type: string;
  /** How many replicas the role has. */
  replicas?: number;
  /** When and how often replicas restart. */
  restartPolicy?: GenericRestartPolicy;
  /** Template of the role's pods. */
  template: PodTemplateSpec;
}

/** When and how often a replica restarts. */
export interface GenericRestartPolicy {
  /** When a replica that ended restarts. */
  policy?: "Never" | "OnFailure" | "Always";
  /** Maximum number of restarts of all replicas of the role together. */
  limit?: number;
}

/** Gives every replica a name that the others can resolve. */
export interface GenericService {
  /** Ports that every replica offers. */
  ports: ServicePort[];
}

/** A file or folder of the machine that the pod runs on. */
export interface HostPathVolume {
  /** Absolute path on the machine. */
  path: string;
  /** What must be there, such as Directory or DirectoryOrCreate. */
  type?: string;
}

/** State of the TensorBoard that a job requested. */
export interface JobTensorBoardStatus {
  /** What the controller did last. */
  action?: string;
  /** The TensorBoard. */
  dependent?: ObjectReference;
  /** A sentence for people. */
  note?: string;
  /** Whether it can be opened. */
  ready?: boolean;
  /** One word for why it is so, for programs. */
  reason?: string;
  /** Normal or Warning. */
  type?: string;
}

/** Status of a job. */
export interface KubeflowOrgV1JobStatus {
  /** Conditions of the job; the last entry is its state. */
  conditions?: Condition[];
  /** Replicas of each role by state. */
  replicaStatuses?: Record<string, ReplicaStatus>;
  /** When the controller accepted the job. */
  startTime?: string;
  /** When the job ended. */
  completionTime?: string;
  /** When the controller last looked at the job. */
  lastReconcileTime?: string;
  /** Restarts counted against runPolicy.backoffLimit. */
  restartCount?: number;
  /** Attempts that ended, by replica; a replica without an entry had none. */
  attempts?: Record<string, number>;
  /** Replicas that restarted one by one because of the current incident. */
  incidentReplicas?: string[];
  /** Replicas that have succeeded while the job still runs; they do not run again alone. */
  succeededReplicas?: string[];
  /** When a replica that failed restarts. */
  nextRetryTime?: string;
  /** Port of rank 0, chosen once per job. */
  masterPort?: number;
  /** Ports of the job, from masterPort on; one if not set. */
  portCount?: number;
  /** Generation of the job that this status is about. */
  observedGeneration?: number;
}

/** A program that mpirun starts on several workers, such as Horovod. */
export interface KubeflowOrgV1MPIJob {
  /** Group and version of the schema this object is written in. */
  apiVersion: "kubeflow.org/v1";
  /** The type of this object; cannot be changed. */
  kind: "MPIJob";
  /** Name, labels, owners and history. */
  metadata?: ObjectMeta;
  /** What the job runs, and how. */
  spec: KubeflowOrgV1MPIJobSpec;
  /** Status of the job; written by the controller. */
  status?: KubeflowOrgV1JobStatus;
}

/** What a job runs, and how: the fields of kubeflow.org/v1 and of v2beta1. */
export interface KubeflowOrgV1MPIJobSpec {
  /** Processes per worker. */
  slotsPerWorker?: number;
  /** Deadline, retries, clean-up and suspension. */
  runPolicy?: KubeflowOrgV1MPIRunPolicy;
  /** Roles of the job: Launcher and Worker. */
  mpiReplicaSpecs: Record<string, KubeflowOrgV1MPIReplicaSpec>;
  /** In v1: same as runPolicy.cleanPodPolicy, which wins. */
  cleanPodPolicy?: "None" | "Running" | "All";
  /** In v1: container of a worker that runs the processes. */
  mainContainer?: string;
  /** Of v2beta1: whether processes run in the launcher as well. */
  runLauncherAsWorker?: boolean;
  /** In v2beta1: folder of the keys in each pod; /root/.ssh if not set. */
  sshAuthMountPath?: string;
  /** In v2beta1: when the launcher is created; AtStartup if not set. */
  launcherCreationPolicy?: "AtStartup" | "WaitForWorkersReady";
  /** In v2beta1: MPI implementation of the image; OpenMPI if not set. */
  mpiImplementation?: "OpenMPI" | "Intel" | "MPICH";
}

/** One role of a job: how many replicas, and what they run. */
export interface KubeflowOrgV1MPIReplicaSpec {
  /** How many replicas the role has. */
  replicas?: number;
  /** When a replica that ended restarts. */
  restartPolicy?: "Always" | "OnFailure" | "Never" | "ExitCode";
  /** Template of the role's pods. */
  template?: PodTemplateSpec;
}

/** How long a job may run, how often it restarts and what remains of it. */
export interface KubeflowOrgV1MPIRunPolicy {
  /** Which pods are deleted when the job ends. */
  cleanPodPolicy?: "None" | "Running" | "All";
  /** Seconds to keep the job after it ends; kept until deleted if not set. */
  ttlSecondsAfterFinished?: number;
  /** Seconds that the job may run before it is failed. */
  activeDeadlineSeconds?: number;
  /** How many restarts are allowed before the job fails; no limit if not set. */
  backoffLimit?: number;
  /** How the pods are scheduled together. */
  schedulingPolicy?: SchedulingPolicy;
  /** While true, the job has no pods. */
  suspend?: boolean;
  /** Controller that manages the job. */
  managedBy?: "kubeflow.org/mpi-operator" | "kubeflow.org/training-operator" | "kueue.x-k8s.io/multikueue" | "muster.dev/operator";
}

/** Status of a job. */
export interface KubeflowOrgV2beta1JobStatus {
  /** Conditions of the job; the last entry is its state. */
  conditions?: Condition[];
  /** Replicas of each role by state. */
  replicaStatuses?: Record<string, ReplicaStatus>;
  /** When the controller accepted the job. */
  startTime?: string;
  /** When the job ended. */
  completionTime?: string;
  /** When the controller last looked at the job. */
  lastReconcileTime?: string;
  /** Restarts counted against runPolicy.backoffLimit. */
  restartCount?: number;
  /** Attempts that ended, by replica; a replica without an entry had none. */
  attempts?: Record<string, number>;
  /** Replicas that restarted one by one because of the current incident. */
  incidentReplicas?: string[];
  /** Replicas that have succeeded while the job still runs; they do not run again alone. */
  succeededReplicas?: string[];
  /** When a replica that failed restarts. */
  nextRetryTime?: string;
  /** Port of rank 0, chosen once per job. */
  masterPort?: number;
  /** Ports of the job, from masterPort on; one if not set. */
  portCount?: number;
  /** Generation of the job that this status is about. */
  observedGeneration?: number;
}

/** A program that mpirun starts on several workers, such as Horovod. */
export interface KubeflowOrgV2beta1MPIJob {
  /** Group and version of the schema this object is written in. */
  apiVersion: "kubeflow.org/v2beta1";
  /** The type of this object; cannot be changed. */
  kind: "MPIJob";
  /** Name, labels, owners and history. */
  metadata?: ObjectMeta;
  /** What the job runs, and how. */
  spec: KubeflowOrgV2beta1MPIJobSpec;
  /** Status of the job; written by the controller. */
  status?: KubeflowOrgV2beta1JobStatus;
}

/** What a job runs, and how: the fields of kubeflow.org/v1 and of v2beta1. */
export interface KubeflowOrgV2beta1MPIJobSpec {
  /** Processes per worker. */
  slotsPerWorker?: number;
  /** Deadline, retries, clean-up and suspension. */
  runPolicy?: KubeflowOrgV2beta1MPIRunPolicy;
  /** Roles of the job: Launcher and Worker. */
  mpiReplicaSpecs: Record<string, KubeflowOrgV2beta1MPIReplicaSpec>;
  /** In v1: same as runPolicy.cleanPodPolicy, which wins. */
  cleanPodPolicy?: "None" | "Running" | "All";
  /** In v1: container of a worker that runs the processes. */
  mainContainer?: string;
  /** Of v2beta1: whether processes run in the launcher as well. */
  runLauncherAsWorker?: boolean;
  /** In v2beta1: folder of the keys in each pod; /root/.ssh if not set. */
  sshAuthMountPath?: string;
  /** In v2beta1: when the launcher is created; AtStartup if not set. */
  launcherCreationPolicy?: "AtStartup" | "WaitForWorkersReady";
  /** In v2beta1: MPI implementation of the image; OpenMPI if not set. */
  mpiImplementation?: "OpenMPI" | "Intel" | "MPICH";
}

/** One role of a job: how many replicas, and what they run. */
export interface KubeflowOrgV2beta1MPIReplicaSpec {
  /** How many replicas the role has. */
  replicas?: number;
  /** When a replica that ended restarts. */
  restartPolicy?: "Never" | "OnFailure";
  /** Template of the role's pods. */
  template?: PodTemplateSpec;
}

/** How long a job may run, how often it restarts and what remains of it. */
export interface KubeflowOrgV2beta1MPIRunPolicy {
  /** Which pods are deleted when the job ends. */
  cleanPodPolicy?: "None" | "Running" | "All";
  /** Seconds to keep the job after it ends; kept until deleted if not set. */
  ttlSecondsAfterFinished?: number;
  /** Seconds that the job may run before it is failed. */
  activeDeadlineSeconds?: number;
  /** How many restarts are allowed before the job fails; no limit if not set. */
  backoffLimit?: number;
  /** How the pods are scheduled together. */
  schedulingPolicy?: SchedulingPolicy;
  /** While true, the job has no pods. */
  suspend?: boolean;
  /** Controller that manages the job. */
  managedBy?: "kubeflow.org/mpi-operator" | "kubeflow.org/training-operator" | "kueue.x-k8s.io/multikueue" | "muster.dev/operator";
}

/** Selects objects by their labels; all parts must match. */
export interface LabelSelector {
  /** Labels that must have these values. */
  matchLabels?: Record<string, string>;
  matchExpressions?: unknown;
}

/** What remains of an ended job that has a launcher. */
export interface LauncherRunPolicy {
  /** Whether workers are deleted when the job ends; the launcher stays. */
  cleanUpWorkers?: boolean;
  /** Seconds to keep the job after it ends; kept until deleted if not set. */
  ttlSecondsAfterFinished?: number;
}

/** A lock that is lost unless renewed, for choosing a leader. */
export interface Lease {
  /** Group and version of the schema this object is written in. */
  apiVersion: "coordination.k8s.io/v1";
  /** The type of this object; cannot be changed. */
  kind: "Lease";
  /** Name, labels, owners and history. */
  metadata?: ObjectMeta;
  /** Who holds the lease and until when. */
  spec?: LeaseSpec;
}

/** Who holds a lease and until when. */
export interface LeaseSpec {
  /** Who holds the lease. */
  holderIdentity?: string;
  /** Seconds after the last renewal when others may take it. */
  leaseDurationSeconds?: number;
  /** When the holder took the lease. */
  acquireTime?: string;
  /** When the holder renewed the lease last. */
  renewTime?: string;
  /** How often the holder changed. */
  leaseTransitions?: number;
  preferredHolder?: unknown;
  strategy?: unknown;
}

/** Names an object of the same namespace. */
export interface LocalObjectReference {
  /** Name of the object. */
  name?: string;
}

/** What mpirun runs, and how. */
export interface MPIConfig {
  /** Settings of Open MPI by name. */
  mca?: Record<string, string>;
  /** Folder where Open MPI is installed in the image. */
  home?: string;
  /** More options for mpirun. */
  extraArgs?: string[];
  /** The program and its arguments. */
  script?: string[];
}

/** Whether mpirun restarts processes. */
export interface MPIProcessRecovery {
  /** Whether processes that fail restart. */
  enable?: boolean;
  /** Maximum number of restarts. */
  limit?: number;
}

/** Older form of replicaSpecs and mpiConfig: the workers and what they run. */
export interface MPIWorkerSpec {
  /** How many workers there are. */
  replicas?: number;
  /** Template of the workers' pods. */
  template: PodTemplateSpec;
  /** The program and its arguments. */
  cmd?: string[];
  /** More options for mpirun. */
  extraMPIArgs?: string[];
  /** Processes per worker, as with -N. */
  processesPerWorker?: number;
  /** Whether mpirun restarts processes. */
  processRecovery?: MPIProcessRecovery;
}

/** A space in which names are unique and which is deleted as one. */
export interface Namespace {
  /** Group and version of the schema this object is written in. */
  apiVersion: "v1";
  /** The type of this object; cannot be changed. */
  kind: "Namespace";
  /** Name, labels and history. */
  metadata?: ObjectMeta;
  /** What keeps the namespace. */
  spec?: NamespaceSpec;
  /** What is known about the namespace. */
  status?: NamespaceStatus;
}

/** What keeps a namespace. */
export interface NamespaceSpec {
  /** Who must agree before the namespace is removed. */
  finalizers?: string[];
}

/** What is known about a namespace. */
export interface NamespaceStatus {
  /** Active, or Terminating while it empties. */
  phase?: "Active" | "Terminating";
  conditions?: unknown;
}

/** A machine that runs pods. */
export interface Node {
  /** Group and version of the schema this object is written in. */
  apiVersion: "v1";
  /** The type of this object; cannot be changed. */
  kind: "Node";
  /** Name, labels and history. */
  metadata?: ObjectMeta;
  /** How the machine is used. */
  spec?: NodeSpec;
  /** What is known about the machine. */
  status?: NodeStatus;
}

/** What a node uses. */
export interface NodeMetrics {
  /** Group and version of the schema this object is written in. */
  apiVersion: "metrics.k8s.io/v1beta1";
  /** The type of this object; cannot be changed. */
  kind: "NodeMetrics";
  /** Name of the node. */
  metadata?: ObjectMeta;
  /** When it was measured. */
  timestamp?: string;
  /** Over how long it was measured. */
  window?: string;
  /** Processor and memory that are used. */
  usage?: Record<string, number | string>;
}

/** How a machine is used. */
export interface NodeSpec {
  /** When true, no new pods are placed on it. */
  unschedulable?: boolean;
  configSource?: unknown;
  externalID?: unknown;
  podCIDR?: unknown;
  podCIDRs?: unknown;
  providerID?: unknown;
  taints?: unknown;
}

/** What is known about a machine. */
export interface NodeStatus {
  /** Resources the machine has. */
  capacity?: Record<string, number | string>;
  /** Resources that pods may use. */
  allocatable?: Record<string, number | string>;
  /** Health of the machine. */
  conditions?: Condition[];
  addresses?: unknown;
  config?: unknown;
  daemonEndpoints?: unknown;
  features?: unknown;
  images?: unknown;
  nodeInfo?: unknown;
  phase?: unknown;
  runtimeHandlers?: unknown;
  volumesAttached?: unknown;
  volumesInUse?: unknown;
}

/** A request that is not about objects. */
export interface NonResourceAttributes {
  /** Path of the request. */
  path?: string;
  /** HTTP method in lower case. */
  verb?: string;
}

/** A notebook for interactive work. */
export interface Notebook {
  /** Group and version of the schema this object is written in. */
  apiVersion: "tensorstack.dev/v1beta1";
  /** The type of this object; cannot be changed. */
  kind: "Notebook";
  /** Name, labels, owners and history. */
  metadata?: ObjectMeta;
  /** What the notebook runs. */
  spec: NotebookSpec;
  /** Its status; written by the controller. */
  status?: PageStatus;
}

/** What a notebook runs. */
export interface NotebookSpec {
  /** Which program serves the notebook. */
  type?: "jupyter";
  /** Template of its pod; the container `notebook`, else the first, runs JupyterLab. */
  template: PodTemplateSpec;
  /** While true, it has no pod but keeps its address and its files. */
  suspend?: boolean;
  /** After this time without requests and without work in kernels or terminals, suspend becomes true; never if not set. */
  stopAfterIdleSeconds?: number;
  /** Scheduler of the pod. */
  scheduler?: SchedulePolicy;
  /** Access by ssh. No effect here: notebooks run no sshd. */
  ssh?: NotebookSsh;
}

/** Access to the notebook by ssh. */
export interface NotebookSsh {
  /** Whether the notebook can be entered by ssh. */
  enabled?: boolean;
  /** Secrets with the public keys that may enter. */
  authorizedKeys?: string[];
  /** Type of the Service through which ssh reaches the notebook. */
  serviceType?: string;
}

/** What every object carries: its names, labels, owners and history. */
export interface ObjectMeta {
  /** Name, unique among objects of the kind in the namespace. */
  name?: string;
  /** Prefix from which the server makes a unique name when name is not set. */
  generateName?: string;
  /** Namespace the object lives in. */
  namespace?: string;
  /** Unique id in time and space, set by the server. */
  uid?: string;
  /** Opaque revision of the last change, for watches and safe updates. */
  resourceVersion?: string;
  /** Counts the changes of the wanted state. */
  generation?: number;
  /** When the server accepted the object. */
  creationTimestamp?: string;
  /** When the object is to be gone; set by a graceful deletion. */
  deletionTimestamp?: string;
  /** Seconds the object is given to end before it is removed. */
  deletionGracePeriodSeconds?: number;
  /** Short keys and values that selectors match. */
  labels?: Record<string, string>;
  /** Free keys and values that tools keep with the object. */
  annotations?: Record<string, string>;
  /** Objects this one depends on; when all are gone it is collected. */
  ownerReferences?: OwnerReference[];
  /** Names of those who must agree before the object is removed. */
  finalizers?: string[];
  managedFields?: unknown;
  selfLink?: unknown;
}

/** Names another object. */
export interface ObjectReference {
  /** Group and version of the object. */
  apiVersion?: string;
  /** Kind of the object. */
  kind?: string;
  /** Namespace of the object. */
  namespace?: string;
  /** Name of the object. */
  name?: string;
  /** Unique id of the object. */
  uid?: string;
  /** Revision of the object that is meant. */
  resourceVersion?: string;
  /** Part of the object that is meant, such as one container. */
  fieldPath?: string;
}

/** Names the object that this one belongs to and goes away with. */
export interface OwnerReference {
  /** Group and version of the owner. */
  apiVersion: string;
  /** Kind of the owner. */
  kind: string;
  /** Name of the owner, in the same namespace or cluster-wide. */
  name: string;
  /** Unique id of the owner, so that a namesake made later is not meant. */
  uid: string;
  /** True for the one owner that manages this object. */
  controller?: boolean;
  /** Whether a foreground deletion of the owner waits until this object is gone. */
  blockOwnerDeletion?: boolean;
}

/** Status of a program with a page. */
export interface PageStatus {
  /** Phase of the program. */
  phase?: "Initializing" | "Running" | "Suspended" | "Failed";
  /** Its pod. */
  pod?: PodReference;
  /** Whether it is ready, idle or suspended, and why. */
  conditions?: Condition[];
  /** Address of its page. */
  url?: string;
  /** Generation of the object that this status is about. */
  observedGeneration?: number;
}

/** Pause mode: the job exists but has no pods. */
export interface PauseMode {
  /** Whether the job is paused; may be changed at any time. */
  enabled?: boolean;
  /** Older spelling of enabled. */
  enable?: boolean;
  /** How pods run after the job is resumed; by default as in the template. */
  resumeSpecs?: ResumeSpec[];
}

/** A piece of storage that claims can be bound to. */
export interface PersistentVolume {
  /** Group and version of the schema this object is written in. */
  apiVersion: "v1";
  /** The type of this object; cannot be changed. */
  kind: "PersistentVolume";
  /** Name, labels and history. */
  metadata?: ObjectMeta;
  /** What the volume is and who may use it. */
  spec?: PersistentVolumeSpec;
  /** What is known about the volume. */
  status?: PersistentVolumeStatus;
}

/** Storage that outlives pods. */
export interface PersistentVolumeClaim {
  /** Group and version of the schema this object is written in. */
  apiVersion: "v1";
  /** The type of this object; cannot be changed. */
  kind: "PersistentVolumeClaim";
  /** Name, labels and history. */
  metadata?: ObjectMeta;
  /** Which storage is wanted. */
  spec?: PersistentVolumeClaimSpec;
  /** What is known about the claim. */
  status?: PersistentVolumeClaimStatus;
}

/** Which storage is wanted. */
export interface PersistentVolumeClaimSpec {
  /** How many machines may mount it, and how. */
  accessModes?: string[];
  /** How much storage is wanted. */
  resources?: ResourceRequirements;
  /** Kind of storage that is wanted. */
  storageClassName?: string;
  /** Volume that the claim is bound to. */
  volumeName?: string;
  dataSource?: unknown;
  dataSourceRef?: unknown;
  selector?: unknown;
  volumeAttributesClassName?: unknown;
  volumeMode?: unknown;
}

/** What is known about a claim. */
export interface PersistentVolumeClaimStatus {
  /** Pending, Bound or Lost. */
  phase?: "Pending" | "Bound" | "Lost";
  /** How the storage may be mounted. */
  accessModes?: string[];
  /** How much the storage holds. */
  capacity?: Record<string, number | string>;
  allocatedResourceStatuses?: unknown;
  allocatedResources?: unknown;
  conditions?: unknown;
  currentVolumeAttributesClassName?: unknown;
  modifyVolumeStatus?: unknown;
}

/** A volume that a claim in the same namespace stands for. */
export interface PersistentVolumeClaimVolume {
  /** Name of the claim. */
  claimName: string;
  /** When true, every mount of it is read-only. */
  readOnly?: boolean;
}

/** What a volume is and who may use it. */
export interface PersistentVolumeSpec {
  /** How much the volume holds. */
  capacity?: Record<string, number | string>;
  /** How the volume may be mounted. */
  accessModes?: string[];
  /** Claim that the volume is bound to. */
  claimRef?: ObjectReference;
  /** What happens to the volume when its claim is deleted. */
  persistentVolumeReclaimPolicy?: "Delete" | "Recycle" | "Retain";
  /** Class of storage it belongs to. */
  storageClassName?: string;
  /** Whether it is a file system or a block device. */
  volumeMode?: "Block" | "Filesystem";
  /** A folder of the machine. */
  hostPath?: HostPathVolume;
  awsElasticBlockStore?: unknown;
  azureDisk?: unknown;
  azureFile?: unknown;
  cephfs?: unknown;
  cinder?: unknown;
  csi?: unknown;
  fc?: unknown;
  flexVolume?: unknown;
  flocker?: unknown;
  gcePersistentDisk?: unknown;
  glusterfs?: unknown;
  iscsi?: unknown;
  local?: unknown;
  mountOptions?: unknown;
  nfs?: unknown;
  nodeAffinity?: unknown;
  photonPersistentDisk?: unknown;
  portworxVolume?: unknown;
  quobyte?: unknown;
  rbd?: unknown;
  scaleIO?: unknown;
  storageos?: unknown;
  volumeAttributesClassName?: unknown;
  vsphereVolume?: unknown;
}

/** What is known about a volume. */
export interface PersistentVolumeStatus {
  /** Whether the volume is free, bound or left behind. */
  phase?: "Available" | "Bound" | "Failed" | "Pending" | "Released";
  /** A sentence for why it is so. */
  message?: string;
  /** One word for why it failed. */
  reason?: string;
  /** When the phase changed last. */
  lastPhaseTransitionTime?: string;
}

/** Programs that run together on one machine. */
export interface Pod {
  /** Group and version of the schema this object is written in. */
  apiVersion: "v1";
  /** The type of this object; cannot be changed. */
  kind: "Pod";
  /** Name, labels, owners and history. */
  metadata?: ObjectMeta;
  /** What the pod runs and where. */
  spec: PodSpec;
  /** What is known about the pod; written by the machine it runs on. */
  status?: PodStatus;
}

/** Pods that start together or wait together. */
export interface PodGroup {
  /** Group and version of the schema this object is written in. */
  apiVersion: "scheduler.tensorstack.dev/v1beta1";
  /** The type of this object; cannot be changed. */
  kind: "PodGroup";
  /** Name, labels, owners and history. */
  metadata?: ObjectMeta;
  /** Which pods start together. */
  spec: PodGroupSpec;
  /** Status of the group; written by the scheduler. */
  status?: PodGroupStatus;
}

/** One role of a group. */
export interface PodGroupRole {
  /** Name of the role. */
  name: string;
  /** Minimum number of pods of the role that must start together. */
  minMember: number;
}

/** Which pods start together. */
export interface PodGroupSpec {
  /** Queue the group waits in. */
  queue?: string;
  /** Priority within the queue; higher numbers go first. */
  priority?: number;
  /** Minimum number of pods that must start together. */
  minMember: number;
  /** Minimum number of pods per role. */
  roles?: PodGroupRole[];
}

/** Status of a group. */
export interface PodGroupStatus {
  /** Whether the group is complete and scheduled, and why. */
  conditions?: Condition[];
  /** Pods that wait. */
  pending?: number;
  /** Pods that run. */
  running?: number;
  /** Number of pods that succeeded. */
  succeeded?: number;
  /** Pods that failed. */
  failed?: number;
  /** Number of pods whose state is unknown. */
  unknown?: number;
  /** Sum of what the group's pods request. */
  allocated?: Record<string, number | string>;
}

/** What a pod uses. */
export interface PodMetrics {
  /** Group and version of the schema this object is written in. */
  apiVersion: "metrics.k8s.io/v1beta1";
  /** The type of this object; cannot be changed. */
  kind: "PodMetrics";
  /** Name and namespace of the pod. */
  metadata?: ObjectMeta;
  /** When it was measured. */
  timestamp?: string;
  /** Over how long it was measured. */
  window?: string;
  /** What each container uses. */
  containers?: ContainerMetrics[];
}

/** The pod behind a page. */
export interface PodReference {
  /** Which pod it is. */
  reference?: PodReferenceName;
  /** Phase of the pod. */
  phase?: string;
}

/** Names a pod. */
export interface PodReferenceName {
  /** Name of the pod. */
  name?: string;
  /** Unique id of the pod. */
  uid?: string;
}

/** What a pod runs and where. */
export interface PodSpec {
  /** Storage that containers can mount. */
  volumes?: Volume[];
  /** Programs that run one after the other before the containers start. */
  initContainers?: Container[];
  /** Programs that run together. */
  containers: Container[];
  /** When a container that ended restarts. */
  restartPolicy?: "Always" | "OnFailure" | "Never";
  /** Seconds between the request to end and the kill. */
  terminationGracePeriodSeconds?: number;
  /** Machine the pod is bound to; normally set by the scheduler. */
  nodeName?: string;
  /** Host name the containers see; defaults to the name of the pod. */
  hostname?: string;
  /** Headless service under which the host name resolves. */
  subdomain?: string;
  /** Scheduler that places the pod. */
  schedulerName?: string;
  /** Identity of the pod towards the API. */
  serviceAccountName?: string;
  activeDeadlineSeconds?: unknown;
  affinity?: unknown;
  automountServiceAccountToken?: unknown;
  dnsConfig?: unknown;
  dnsPolicy?: unknown;
  enableServiceLinks?: unknown;
  ephemeralContainers?: unknown;
  hostAliases?: unknown;
  hostIPC?: unknown;
  hostNetwork?: unknown;
  hostPID?: unknown;
  hostUsers?: unknown;
  imagePullSecrets?: unknown;
  nodeSelector?: unknown;
  os?: unknown;
  overhead?: unknown;
  preemptionPolicy?: unknown;
  priority?: unknown;
  priorityClassName?: unknown;
  readinessGates?: unknown;
  resourceClaims?: unknown;
  resources?: unknown;
  runtimeClassName?: unknown;
  schedulingGates?: unknown;
  securityContext?: unknown;
  serviceAccount?: unknown;
  setHostnameAsFQDN?: unknown;
  shareProcessNamespace?: unknown;
  tolerations?: unknown;
  topologySpreadConstraints?: unknown;
}

/** What is known about a pod. */
export interface PodStatus {
  /** Pending, Running, Succeeded, Failed or Unknown. */
  phase?: "Pending" | "Running" | "Succeeded" | "Failed" | "Unknown";
  /** Which steps of its life the pod has passed. */
  conditions?: Condition[];
  /** A sentence for why the pod is in this state. */
  message?: string;
  /** One word for why the pod is in this state. */
  reason?: string;
  /** Address of the machine. */
  hostIP?: string;
  /** Address of the pod. */
  podIP?: string;
  /** When the machine took the pod on. */
  startTime?: string;
  /** One entry per init container. */
  initContainerStatuses?: ContainerStatus[];
  /** One entry per container. */
  containerStatuses?: ContainerStatus[];
  ephemeralContainerStatuses?: unknown;
  hostIPs?: unknown;
  nominatedNodeName?: unknown;
  observedGeneration?: unknown;
  podIPs?: unknown;
  qosClass?: unknown;
  resize?: unknown;
  resourceClaimStatuses?: unknown;
}

/** From which the pods of a job are made. */
export interface PodTemplateSpec {
  /** Labels and annotations that the pods get. */
  metadata?: ObjectMeta;
  /** What the pods run. */
  spec?: PodSpec;
}

/** A name for how important pods are. */
export interface PriorityClass {
  /** Group and version of the schema this object is written in. */
  apiVersion: "scheduling.k8s.io/v1";
  /** The type of this object; cannot be changed. */
  kind: "PriorityClass";
  /** Name, labels and history. */
  metadata?: ObjectMeta;
  /** How important: the highest goes first. */
  value?: number;
  /** Whether it is for pods that name no class. */
  globalDefault?: boolean;
  /** When to use this class. */
  description?: string;
  /** Whether such pods may displace others. */
  preemptionPolicy?: "Never" | "PreemptLowerPriority";
}

/** A distributed training job with PyTorch. */
export interface PyTorchJob {
  /** Group and version of the schema this object is written in. */
  apiVersion: "kubeflow.org/v1";
  /** The type of this object; cannot be changed. */
  kind: "PyTorchJob";
  /** Name, labels, owners and history. */
  metadata?: ObjectMeta;
  /** What the job runs, and how. */
  spec: PyTorchJobSpec;
  /** Status of the job; written by the controller. */
  status?: KubeflowOrgV1JobStatus;
}

/** What a job runs, and how. */
export interface PyTorchJobSpec {
  /** Deadline, retries, clean-up and suspension. */
  runPolicy?: RunPolicy;
  /** Launches the workers through torchrun. */
  elasticPolicy?: ElasticPolicy;
  /** Roles of the job: Master and Worker. */
  pytorchReplicaSpecs: Record<string, ReplicaSpec>;
  /** Processes per replica: auto, cpu, gpu or a number in quotes. */
  nprocPerNode?: string;
}

/** A distributed training job with PyTorch. */
export interface PyTorchTrainingJob {
  /** Group and version of the schema this object is written in. */
  apiVersion: "batch.tensorstack.dev/v1beta1";
  /** The type of this object; cannot be changed. */
  kind: "PyTorchTrainingJob";
  /** Name, labels, owners and history. */
  metadata?: ObjectMeta;
  /** What the job runs, and how. */
  spec: PyTorchTrainingJobSpec;
  /** Status of the job; written by the controller. */
  status?: TrainingJobStatus;
}

/** What a job runs, and how. */
export interface PyTorchTrainingJobSpec {
  /** Train, debug or pause; train if not set. */
  runMode?: RunMode;
  /** Scheduler of the pods. */
  scheduler?: SchedulePolicy;
  /** Deadline, retries and clean-up. */
  runPolicy?: TrainingRunPolicy;
  /** Lets the number of replicas change. */
  elastic?: ElasticConfig;
  /** Launches the program through torchrun. */
  torchrunConfig?: TorchrunConfig;
  /** Roles of the job. Their order is the order of ranks, and the first replica decides. */
  replicaSpecs: TrainingReplicaSpec[];
  /** TensorBoard that shows the logs of the job. */
  tensorboardSpec?: TensorBoardSpec;
}

/** A queue in which jobs wait for resources. */
export interface Queue {
  /** Group and version of the schema this object is written in. */
  apiVersion: "scheduler.tensorstack.dev/v1beta1";
  /** The type of this object; cannot be changed. */
  kind: "Queue";
  /** Name, labels and history. */
  metadata?: ObjectMeta;
  /** Quota, priority and users of the queue. */
  spec?: QueueSpec;
  /** Status of the queue; written by the scheduler. */
  status?: QueueStatus;
}

/** Limits on the sum of what the pods of a queue use. */
export interface QueueQuota {
  /** Maximum of each resource that pods may request. */
  requests?: Record<string, number | string>;
}

/** Quota, priority and users of a queue. */
export interface QueueSpec {
  /** Limits on all pods of the queue together; none if not set. */
  quota?: QueueQuota;
  /** Priority among queues; higher numbers go first. */
  priority?: number;
  /** Whether queues of higher priority may preempt its pods. */
  preemptible?: boolean;
  /** While true, the queue accepts no new pods. */
  closed?: boolean;
  /** How long a pod may run, in y, w, d, h, m, s and ms, as in 1d12h; no limit if not set. */
  maxDuration?: string;
  /** Nodes that the queue may use; all if not set. */
  nodeSelector?: LabelSelector;
  /** Namespaces that may use the queue; all if not set. */
  namespaceSelector?: LabelSelector;
  /** Shapes of pods that the queue accepts. */
  resourceShapeProfile?: string;
}

/** Status of a queue. */
export interface QueueStatus {
  /** Sum of what its running pods request. */
  allocated?: Record<string, number | string>;
  /** Number of waiting pod groups. */
  pending?: number;
  /** Number of running pod groups. */
  running?: number;
  /** Conditions of the queue. */
  conditions?: Condition[];
}

/** One setting of the rendezvous backend. */
export interface RDZVConf {
  /** Name of the setting. */
  key?: string;
  /** Value of the setting. */
  value?: string;
}

/** One container of a replica. */
export interface ReplicaContainerStatus {
  /** Name of the container. */
  name?: string;
  /** Waiting, Running or Terminated. */
  state?: string;
  /** Exit code of a terminated container. */
  exitCode?: number;
}

/** One role of a job: how many replicas, and what they run. */
export interface ReplicaSpec {
  /** How many replicas the role has. */
  replicas?: number;
  /** When a replica that ended restarts. */
  restartPolicy?: "Always" | "OnFailure" | "Never" | "ExitCode";
  /** Template of the role's pods. */
  template?: PodTemplateSpec;
}

/** How many replicas of a role are in which state. */
export interface ReplicaStatus {
  /** Number of waiting or running replicas. */
  active?: number;
  /** Number of succeeded replicas. */
  succeeded?: number;
  /** Number of failed replicas. */
  failed?: number;
  /** Label selector of the pods of the role. */
  selector?: string;
  labelSelector?: unknown;
}

/** Something that can be done to objects. */
export interface ResourceAttributes {
  /** Namespace of the objects; empty for all. */
  namespace?: string;
  /** What would be done: get, list, create and so on. */
  verb?: string;
  /** API group of the objects. */
  group?: string;
  /** Version of the API group. */
  version?: string;
  /** Plural name of the kind. */
  resource?: string;
  /** Part of the object, such as status. */
  subresource?: string;
  /** Name of the object; empty for all. */
  name?: string;
  fieldSelector?: unknown;
  labelSelector?: unknown;
}

/** Limits on what one namespace may hold. */
export interface ResourceQuota {
  /** Group and version of the schema this object is written in. */
  apiVersion: "v1";
  /** The type of this object; cannot be changed. */
  kind: "ResourceQuota";
  /** Name, labels and history. */
  metadata?: ObjectMeta;
  /** How much the namespace may hold. */
  spec?: ResourceQuotaSpec;
  /** How much the namespace holds. */
  status?: ResourceQuotaStatus;
}

/** How much the namespace may hold. */
export interface ResourceQuotaSpec {
  /** Most of each thing: pods, requests.cpu, count/RESOURCE.GROUP, …. */
  hard?: Record<string, number | string>;
  /** Counts only pods that match all of these. */
  scopes?: string[];
  scopeSelector?: unknown;
}

/** How much the namespace holds. */
export interface ResourceQuotaStatus {
  /** Most of each thing, as it is enforced. */
  hard?: Record<string, number | string>;
  /** How much of each thing there is. */
  used?: Record<string, number | string>;
}

/** How much of each resource is needed and allowed. */
export interface ResourceRequirements {
  /** What is set aside for it, such as cpu, memory or nvidia.com/gpu; defaults to the limits. */
  requests?: Record<string, number | string>;
  /** What it may use at most. */
  limits?: Record<string, number | string>;
  claims?: { name: string; request?: string }[];
}

/** How the pods of one role run after a paused job is resumed. */
export interface ResumeSpec {
  /** Role that this applies to; one of those in replicaSpecs. */
  type: string;
  /** Whether init containers are left out. */
  skipInitContainer?: boolean;
  /** Command to use instead of the template's. */
  command?: string[];
  /** Arguments to use instead of the template's. */
  args?: string[];
}

/** How fast pods are replaced. */
export interface RollingUpdateDeployment {
  /** How many pods may be missing meanwhile. */
  maxUnavailable?: number | string;
  /** How many pods may be there beyond the wanted number. */
  maxSurge?: number | string;
}

/** Whether a job trains, waits for a debugger, or is paused. */
export interface RunMode {
  /** Debug mode. */
  debug?: DebugMode;
  /** Pause mode; wins over debug mode. */
  pause?: PauseMode;
}

/** How long a job may run, how often it restarts and what remains of it. */
export interface RunPolicy {
  /** Which pods are deleted when the job ends. */
  cleanPodPolicy?: "None" | "Running" | "All";
  /** Seconds to keep the job after it ends; kept until deleted if not set. */
  ttlSecondsAfterFinished?: number;
  /** Seconds that the job may run before it is failed. */
  activeDeadlineSeconds?: number;
  /** How many restarts are allowed before the job fails; no limit if not set. */
  backoffLimit?: number;
  /** How the pods are scheduled together. */
  schedulingPolicy?: SchedulingPolicy;
  /** While true, the job has no pods. */
  suspend?: boolean;
  /** Controller that manages the job. */
  managedBy?: "kubeflow.org/training-operator" | "kueue.x-k8s.io/multikueue" | "muster.dev/operator";
}

/** How the launcher reaches the workers. */
export interface SSHConfig {
  /** Folder of the keys in each pod; /root/.ssh if not set. */
  sshAuthMountPath?: string;
  /** Older spelling of sshAuthMountPath. */
  authMountPath?: string;
  /** Absolute path of sshd in the image. */
  sshdPath?: string;
}

/** Scheduler of the pods. */
export interface SchedulePolicy {
  /** Use the T9k scheduler, with queues and priorities. */
  t9kScheduler?: T9kScheduler;
}

/** How the pods of a job are scheduled together. */
export interface SchedulingPolicy {
  /** Minimum number of pods that must start together; all if not set. */
  minAvailable?: number;
  /** Queue the job waits in. */
  queue?: string;
  /** Resources that must be free to start. */
  minResources?: Record<string, number | string>;
  /** Priority class of the job. */
  priorityClass?: string;
  /** Seconds to wait until all pods can be scheduled. */
  scheduleTimeoutSeconds?: number;
}

/** Passwords, keys and the like, which pods read as files or variables. */
export interface Secret {
  /** Group and version of the schema this object is written in. */
  apiVersion: "v1";
  /** The type of this object; cannot be changed. */
  kind: "Secret";
  /** Name, labels, owners and history. */
  metadata?: ObjectMeta;
  /** What kind of secret it is, for programs that use it. */
  type?: string;
  /** Values by name, in base64. */
  data?: Record<string, string>;
  /** Values by name, in plain text; moved into data when written. */
  stringData?: Record<string, string>;
  /** When true, the contents can no longer be changed. */
  immutable?: boolean;
}

/** Asks whether the client may do something. */
export interface SelfSubjectAccessReview {
  /** Group and version of the schema this object is written in. */
  apiVersion: "authorization.k8s.io/v1";
  /** The type of this object; cannot be changed. */
  kind: "SelfSubjectAccessReview";
  /** Not used. */
  metadata?: ObjectMeta;
  /** What the client would do. */
  spec?: SelfSubjectAccessReviewSpec;
  /** Whether it may. */
  status?: unknown;
}

/** What the client would like to do. */
export interface SelfSubjectAccessReviewSpec {
  /** Verb, group and resource of what it would do. */
  resourceAttributes?: ResourceAttributes;
  /** Verb and path of what it would do. */
  nonResourceAttributes?: NonResourceAttributes;
}

/** Asks as whom the server sees the client. */
export interface SelfSubjectReview {
  /** Group and version of the schema this object is written in. */
  apiVersion: "authentication.k8s.io/v1";
  /** The type of this object; cannot be changed. */
  kind: "SelfSubjectReview";
  /** Not used. */
  metadata?: ObjectMeta;
  /** Name and groups of the client. */
  status?: unknown;
}

/** Asks what the client may do in a namespace. */
export interface SelfSubjectRulesReview {
  /** Group and version of the schema this object is written in. */
  apiVersion: "authorization.k8s.io/v1";
  /** The type of this object; cannot be changed. */
  kind: "SelfSubjectRulesReview";
  /** Not used. */
  metadata?: ObjectMeta;
  /** Where the client would do it. */
  spec?: SelfSubjectRulesReviewSpec;
  /** What it may do there. */
  status?: unknown;
}

/** Where the client would like to do things. */
export interface SelfSubjectRulesReviewSpec {
  /** Namespace that is asked about. */
  namespace?: string;
}

/** A stable name for a set of pods. */
export interface Service {
  /** Group and version of the schema this object is written in. */
  apiVersion: "v1";
  /** The type of this object; cannot be changed. */
  kind: "Service";
  /** Name, labels, owners and history. */
  metadata?: ObjectMeta;
  /** Which pods it stands for and how they are reached. */
  spec?: ServiceSpec;
  /** What is known about the service; empty unless it has a load balancer. */
  status?: unknown;
}

/** A name under which pods run. */
export interface ServiceAccount {
  /** Group and version of the schema this object is written in. */
  apiVersion: "v1";
  /** The type of this object; cannot be changed. */
  kind: "ServiceAccount";
  /** Name, labels, owners and history. */
  metadata?: ObjectMeta;
  /** Secrets that pods of this account may use. */
  secrets?: ObjectReference[];
  /** Secrets with passwords of image registries. */
  imagePullSecrets?: LocalObjectReference[];
  /** Whether pods of this account get a token for the API server. */
  automountServiceAccountToken?: boolean;
}

/** One port of a service. */
export interface ServicePort {
  /** Name of the port, needed when there are several. */
  name?: string;
  /** Port that clients connect to. */
  port: number;
  /** Protocol of the port. */
  protocol?: "SCTP" | "TCP" | "UDP";
  appProtocol?: unknown;
  nodePort?: number;
  targetPort?: number | string;
}

/** Which pods a service stands for and how they are reached. */
export interface ServiceSpec {
  /** Labels of the pods that the service stands for. */
  selector?: Record<string, string>;
  /** Ports that the service offers. */
  ports?: ServicePort[];
  /** Address of the service; None makes it headless. */
  clusterIP?: string;
  /** How the service is made reachable. */
  type?: "ClusterIP" | "ExternalName" | "LoadBalancer" | "NodePort";
  /** Whether names resolve before pods are ready. */
  publishNotReadyAddresses?: boolean;
  allocateLoadBalancerNodePorts?: unknown;
  clusterIPs?: unknown;
  externalIPs?: unknown;
  externalName?: unknown;
  externalTrafficPolicy?: unknown;
  healthCheckNodePort?: unknown;
  internalTrafficPolicy?: unknown;
  ipFamilies?: unknown;
  ipFamilyPolicy?: unknown;
  loadBalancerClass?: unknown;
  loadBalancerIP?: unknown;
  loadBalancerSourceRanges?: unknown;
  sessionAffinity?: unknown;
  sessionAffinityConfig?: unknown;
  trafficDistribution?: unknown;
}

/** Queue and priority of a job in the T9k scheduler. */
export interface T9kScheduler {
  /** Queue the job waits in. */
  queue?: string;
  /** Priority within the queue; higher numbers go first. */
  priority?: number;
}

/** A distributed training job with TensorFlow. */
export interface TFJob {
  /** Group and version of the schema this object is written in. */
  apiVersion: "kubeflow.org/v1";
  /** The type of this object; cannot be changed. */
  kind: "TFJob";
  /** Name, labels, owners and history. */
  metadata?: ObjectMeta;
  /** What the job runs, and how. */
  spec: TFJobSpec;
  /** Status of the job; written by the controller. */
  status?: KubeflowOrgV1JobStatus;
}

/** What a job runs, and how. */
export interface TFJobSpec {
  /** Deadline, retries, clean-up and suspension. */
  runPolicy?: RunPolicy;
  /** Roles of the job: PS, Worker, Chief or Master, and Evaluator. */
  tfReplicaSpecs: Record<string, TFReplicaSpec>;
  /** AllWorkers: the job succeeds when all workers have succeeded; otherwise when the chief or the first worker has. */
  successPolicy?: "" | "AllWorkers";
  /** Whether the number of workers may change while the job runs. */
  enableDynamicWorker?: boolean;
}

/** One role of a job: how many replicas, and what they run. */
export interface TFReplicaSpec {
  /** How many replicas the role has. */
  replicas?: number;
  /** When a replica that ended restarts. */
  restartPolicy?: "Always" | "OnFailure" | "Never" | "ExitCode";
  /** Template of the role's pods. */
  template?: PodTemplateSpec;
}

/** One replica of a role. */
export interface TaskReplicaStatus {
  /** Name of its pod. */
  name?: string;
  /** Unique id of its pod. */
  uid?: string;
  /** Phase of its pod, Creating before there is one, Deleted after. */
  phase?: string;
  /** Its containers. */
  containers?: ReplicaContainerStatus[];
}

/** The replicas of one role. */
export interface TaskStatus {
  /** Name of the role. */
  type: string;
  /** Number of restarts of the role's replicas. */
  restartCount?: number;
  /** Number of these that count against the role's own limit. */
  chargedCount?: number;
  /** The replicas, by index; of a job with more than 1000 only the first 1000. */
  replicas?: TaskReplicaStatus[];
}

/** A TensorBoard that shows the logs of training jobs. */
export interface TensorBoard {
  /** Group and version of the schema this object is written in. */
  apiVersion: "tensorstack.dev/v1beta1";
  /** The type of this object; cannot be changed. */
  kind: "TensorBoard";
  /** Name, labels, owners and history. */
  metadata?: ObjectMeta;
  /** Which logs it shows, and how it runs. */
  spec: TensorBoardSpec;
  /** Its status; written by the controller. */
  status?: PageStatus;
}

/** Logs on a web server. */
export interface TensorBoardHttpSource {
  /** Where the logs are. */
  url: string[];
}

/** Where the logs are. */
export interface TensorBoardLogDir {
  /** On persistent volumes. */
  pvc?: TensorBoardPvcSource[];
  /** In an object store. */
  s3?: TensorBoardS3Source;
  /** On a web server. */
  http?: TensorBoardHttpSource;
}

/** Logs on a persistent volume. */
export interface TensorBoardPvcSource {
  /** Name of the persistent volume claim. */
  name: string;
  /** Folders on the volume; the whole volume if empty. */
  subPath?: string[];
  /** Older spelling of subPath. */
  subpath?: string[];
}

/** Logs in an object store. */
export interface TensorBoardS3Source {
  /** Secret with the keys of the store. */
  secretRef?: TensorBoardSecretRef;
  /** Where the logs are, s3://BUCKET/PATH. */
  uri: string[];
}

/** Scheduler of the pods. */
export interface TensorBoardSchedulePolicy {
  /** Use the T9k scheduler, with queues and priorities. */
  t9kScheduler?: TensorBoardT9kScheduler;
}

/** Names a secret. */
export interface TensorBoardSecretRef {
  /** Name of the secret. */
  name: string;
}

/** Which logs a TensorBoard shows, and how it runs. */
export interface TensorBoardSpec {
  /** Older form of logDir: t9k://pvc/NAME/PATH or t9k://minio/SECRET/BUCKET/PATH. */
  trainingLogFilesets?: string[];
  /** Location of the logs; used together with trainingLogFilesets. */
  logDir?: TensorBoardLogDir;
  /** Image that has tensorboard; the engine's default if not set. */
  image?: string;
  /** Resources of its pod. */
  resources?: ResourceRequirements;
  /** While true, it has no pod but keeps its address. */
  suspend?: boolean;
  /** Older form of suspend; kept as written. */
  runMode?: string;
  /** Scheduler of the pod. */
  scheduler?: TensorBoardSchedulePolicy;
}

/** Queue of a TensorBoard in the T9k scheduler. */
export interface TensorBoardT9kScheduler {
  /** Queue the job waits in. */
  queue?: string;
}

/** One role of a job: how many replicas, and what they run. */
export interface TensorFlowReplicaSpec {
  /** Name of the role, unique in the job. */
  type: "chief" | "worker" | "ps" | "evaluator";
  /** How many replicas the role has. */
  replicas?: number;
  /** When a replica that ended restarts. */
  restartPolicy?: "Never" | "OnFailure" | "Always" | "ExitCode";
  /** Template of the role's pods. */
  template: PodTemplateSpec;
}

/** A distributed training job with TensorFlow. */
export interface TensorFlowTrainingJob {
  /** Group and version of the schema this object is written in. */
  apiVersion: "batch.tensorstack.dev/v1beta1";
  /** The type of this object; cannot be changed. */
  kind: "TensorFlowTrainingJob";
  /** Name, labels, owners and history. */
  metadata?: ObjectMeta;
  /** What the job runs, and how. */
  spec: TensorFlowTrainingJobSpec;
  /** Status of the job; written by the controller. */
  status?: TrainingJobStatus;
}

/** What a job runs, and how. */
export interface TensorFlowTrainingJobSpec {
  /** Train, debug or pause; train if not set. */
  runMode?: RunMode;
  /** Scheduler of the pods. */
  scheduler?: SchedulePolicy;
  /** Deadline, retries and clean-up. */
  runPolicy?: TrainingRunPolicy;
  /** Roles of the job: chief, worker, ps and evaluator. */
  replicaSpecs: TensorFlowReplicaSpec[];
  /** TensorBoard that shows the logs of the job. */
  tensorboardSpec?: TensorBoardSpec;
}

/** Launches the program through torchrun. */
export interface TorchrunConfig {
  /** Whether torchrun launches the program. */
  enabled?: boolean;
  /** Older spelling of enabled. */
  enable?: boolean;
  /** Restarts of the workers inside a pod, which do not count as restarts of the replica. */
  maxRestarts?: number;
  /** Processes per replica: a number, gpu for one per GPU, cpu, or auto. */
  procPerNode?: number | string;
  /** How the replicas find each other. */
  rdzvBackend?: "c10d" | "etcd" | "etcd-v2";
  /** More options for torchrun. */
  extraOptions?: string[];
  /** Minimum number of replicas; superseded by elastic.minReplicas. */
  minNodes?: number;
}

/** Status of a job. */
export interface TrainingJobStatus {
  /** Phase of the job. */
  phase?: "Pending" | "Running" | "Paused" | "Resuming" | "Succeeded" | "Failed" | "Unknown";
  /** Conditions of the job. */
  conditions?: Condition[];
  /** The replicas of each role. */
  tasks?: TaskStatus[];
  /** How many replicas are in which phase. */
  aggregate?: AggregateStatus;
  /** Restarts counted against runPolicy.backoffLimit. */
  backoffCount?: number;
  /** When the job first ran. */
  startTime?: string;
  /** When the job ended. */
  completionTime?: string;
  /** Attempts that ended, by replica; a replica without an entry had none. */
  attempts?: Record<string, number>;
  /** Replicas that restarted one by one because of the current incident. */
  incidentReplicas?: string[];
  /** Replicas that have succeeded while the job still runs; they do not run again alone. */
  succeededReplicas?: string[];
  /** When a replica that failed restarts. */
  nextRetryTime?: string;
  /** Generation of the job that this status is about. */
  observedGeneration?: number;
  /** Port of rank 0, chosen once per job. */
  masterPort?: number;
  /** Ports of the job, from masterPort on; one if not set. */
  portCount?: number;
  /** State of the job's TensorBoard. */
  tensorboard?: JobTensorBoardStatus;
}

/** One role of a job: how many replicas, and what they run. */
export interface TrainingReplicaSpec {
  /** Name of the role, unique in the job. */
  type: string;
  /** How many replicas the role has. */
  replicas?: number;
  /** Share of the role when an elastic job grows. */
  scalingWeight?: number;
  /** When a replica that ended restarts. */
  restartPolicy?: "Never" | "OnFailure" | "Always" | "ExitCode";
  /** Template of the role's pods. */
  template: PodTemplateSpec;
}

/** How long a job may run, how often it restarts and what remains of it. */
export interface TrainingRunPolicy {
  /** Seconds that the job may run before it is failed. */
  activeDeadlineSeconds?: number;
  /** Maximum number of restarts before the job fails. */
  backoffLimit?: number;
  /** Which pods are deleted when the job ends. */
  cleanUpPolicy?: "None" | "Unfinished" | "All";
  /** Seconds to keep the job after it ends; kept until deleted if not set. */
  ttlSecondsAfterFinished?: number;
}

/** Storage that the containers of a pod can mount. */
export interface Volume {
  /** Name that volumeMounts refer to, unique in the pod. */
  name: string;
  /** Storage kept by a claim. */
  persistentVolumeClaim?: PersistentVolumeClaimVolume;
  /** Scratch space that lives as long as the pod. */
  emptyDir?: EmptyDirVolume;
  /** A file or folder of the machine. */
  hostPath?: HostPathVolume;
  awsElasticBlockStore?: unknown;
  azureDisk?: unknown;
  azureFile?: unknown;
  cephfs?: unknown;
  cinder?: unknown;
  configMap?: unknown;
  csi?: unknown;
  downwardAPI?: unknown;
  ephemeral?: unknown;
  fc?: unknown;
  flexVolume?: unknown;
  flocker?: unknown;
  gcePersistentDisk?: unknown;
  gitRepo?: unknown;
  glusterfs?: unknown;
  image?: unknown;
  iscsi?: unknown;
  nfs?: unknown;
  photonPersistentDisk?: unknown;
  portworxVolume?: unknown;
  projected?: unknown;
  quobyte?: unknown;
  rbd?: unknown;
  scaleIO?: unknown;
  secret?: unknown;
  storageos?: unknown;
  vsphereVolume?: unknown;
}

/** Makes a volume of the pod visible inside a container. */
export interface VolumeMount {
  /** Name of one of the pod's volumes. */
  name: string;
  /** Where the volume appears; made when missing. */
  mountPath: string;
  /** Folder or file of the volume to mount instead of its root. */
  subPath?: string;
  /** When true, the container cannot write to it. */
  readOnly?: boolean;
  mountPropagation?: unknown;
  recursiveReadOnly?: unknown;
  subPathExpr?: unknown;
}

/** One role of a job: how many replicas, and what they run. */
export interface XGBoostReplicaSpec {
  /** Name of the role, unique in the job. */
  type: "master" | "worker";
  /** How many replicas the role has. */
  replicas?: number;
  /** When a replica that ended restarts. */
  restartPolicy?: "Never" | "OnFailure" | "Always" | "ExitCode";
  /** Template of the role's pods. */
  template: PodTemplateSpec;
}

/** A distributed training job with XGBoost. */
export interface XGBoostTrainingJob {
  /** Group and version of the schema this object is written in. */
  apiVersion: "batch.tensorstack.dev/v1beta1";
  /** The type of this object; cannot be changed. */
  kind: "XGBoostTrainingJob";
  /** Name, labels, owners and history. */
  metadata?: ObjectMeta;
  /** What the job runs, and how. */
  spec: XGBoostTrainingJobSpec;
  /** Status of the job; written by the controller. */
  status?: TrainingJobStatus;
}

/** What a job runs, and how. */
export interface XGBoostTrainingJobSpec {
  /** Train, debug or pause; train if not set. */
  runMode?: RunMode;
  /** Scheduler of the pods. */
  scheduler?: SchedulePolicy;
  /** Deadline, retries and clean-up. */
  runPolicy?: TrainingRunPolicy;
  /** Roles of the job: one master, and workers. */
  replicaSpecs: XGBoostReplicaSpec[];
}
