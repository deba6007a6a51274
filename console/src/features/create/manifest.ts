// The form as a manifest. Pure: what is left empty is left out.
import type { Container, EnvVar, PyTorchTrainingJob, Volume, VolumeMount } from "#types";

export interface RoleForm {
  name: string;
  replicas: string;
  restartPolicy: "Never" | "OnFailure" | "Always" | "ExitCode";
  image: string;
  command: string;
  args: string;
  workingDir: string;
  cpuRequest: string;
  cpuLimit: string;
  memoryRequest: string;
  memoryLimit: string;
  gpus: string;
  runAsUser: string;
  /** NAME=value, one per line. */
  env: string;
  /** claim:/mount/path, one per line. */
  volumes: string;
}

export interface JobForm {
  name: string;
  useTorchrun: boolean;
  processes: string;
  useTensorBoard: boolean;
  /** claim/path/of/the/logs. */
  tensorBoardLogs: string;
  tensorBoardImage: string;
  useRunPolicy: boolean;
  backoffLimit: string;
  activeDeadlineSeconds: string;
  cleanUpPolicy: "" | "None" | "Unfinished" | "All";
  debug: boolean;
  roles: RoleForm[];
}

export const emptyRole = (name: string): RoleForm => ({
  name, replicas: "1", restartPolicy: "OnFailure", image: "", command: "", args: "", workingDir: "", cpuRequest: "", cpuLimit: "",
  memoryRequest: "", memoryLimit: "", gpus: "", runAsUser: "", env: "", volumes: "",
});

export const emptyForm = (): JobForm => ({
  name: "", useTorchrun: false, processes: "1", useTensorBoard: false, tensorBoardLogs: "", tensorBoardImage: "", useRunPolicy: false,
  backoffLimit: "", activeDeadlineSeconds: "", cleanUpPolicy: "", debug: false, roles: [emptyRole("worker")],
});

/** A number where it is one, so that the server says what is wrong with anything else. */
const numeric = (text: string): number => (/^\d+$/.test(text.trim()) ? Number(text) : (text as unknown as number));
const amount = (text: string): number | string => numeric(text);

/** Words as a shell would see them, without its expansions. */
export function splitWords(text: string): string[] {
  return [...text.matchAll(/(?:[^\s"']|"(?:\\.|[^"\\])*"|'[^']*')+/g)].map((match) =>
    match[0].replace(/"((?:\\.|[^"\\])*)"|'([^']*)'/g, (_, double?: string, single?: string) => single ?? (double ?? "").replace(/\\(.)/g, "$1")));
}

const linesOf = (text: string) => text.split("\n").map((line) => line.trim()).filter(Boolean);

function present<T extends object>(object: T): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined && value !== "" && !(Array.isArray(value) && value.length === 0))) as T;
}

function envOf(text: string): EnvVar[] {
  return linesOf(text).map((line) => {
    const [name = "", ...value] = line.split("=");
    return { name, value: value.join("=") };
  });
}

function volumesOf(text: string): { volumes: Volume[]; mounts: VolumeMount[] } {
  const pairs = linesOf(text).map((line) => line.split(":"));
  const claims = [...new Set(pairs.map(([claim = ""]) => claim))];
  const nameOf = (claim: string) => (claims.indexOf(claim) > 0 ? `data-${claims.indexOf(claim) + 1}` : "data");
  return {
    volumes: claims.map((claim) => ({ name: nameOf(claim), persistentVolumeClaim: { claimName: claim } })),
    mounts: pairs.map(([claim = "", ...path]) => ({ name: nameOf(claim), mountPath: path.join(":") })),
  };
}

function containerOf(role: RoleForm, mounts: VolumeMount[]): Container {
  const gpus = role.gpus ? { "nvidia.com/gpu": numeric(role.gpus) } : {};
  const requests = present({ cpu: amount(role.cpuRequest), memory: amount(role.memoryRequest) });
  const limits = present({ cpu: amount(role.cpuLimit), memory: amount(role.memoryLimit), ...gpus });
  const resources = { ...(Object.keys(requests).length ? { requests } : {}), ...(Object.keys(limits).length ? { limits } : {}) };
  return {
    ...present({
      name: "pytorch", image: role.image, command: splitWords(role.command), args: splitWords(role.args), workingDir: role.workingDir,
      env: envOf(role.env), volumeMounts: mounts }),
    ...(Object.keys(resources).length ? { resources } : {}),
  };
}

export function manifestOf(form: JobForm): PyTorchTrainingJob {
  return {
    apiVersion: "batch.tensorstack.dev/v1beta1",
    kind: "PyTorchTrainingJob",
    metadata: { name: form.name },
    spec: {
      ...(form.debug ? { runMode: { debug: { enabled: true } } } : {}),
      ...(form.useRunPolicy
        ? { runPolicy: present({
            ...(form.backoffLimit ? { backoffLimit: numeric(form.backoffLimit) } : {}),
            ...(form.activeDeadlineSeconds ? { activeDeadlineSeconds: numeric(form.activeDeadlineSeconds) } : {}),
            ...(form.cleanUpPolicy ? { cleanUpPolicy: form.cleanUpPolicy } : {}) }) }
        : {}),
      ...(form.useTensorBoard
        ? { tensorboardSpec: { trainingLogFilesets: linesOf(form.tensorBoardLogs).map((path) => `t9k://pvc/${path}`), image: form.tensorBoardImage } }
        : {}),
      ...(form.useTorchrun ? { torchrunConfig: { enabled: true, maxRestarts: 3, procPerNode: form.processes, rdzvBackend: "c10d" } } : {}),
      replicaSpecs: form.roles.map((role) => {
        const { volumes, mounts } = volumesOf(role.volumes);
        return {
          type: role.name,
          replicas: numeric(role.replicas),
          restartPolicy: role.restartPolicy,
          template: {
            spec: {
              ...(role.runAsUser ? { securityContext: { runAsUser: numeric(role.runAsUser) } } : {}),
              containers: [containerOf(role, mounts)],
              ...(volumes.length ? { volumes } : {}),
            },
          },
        };
      }),
    },
  };
}

/** What a kind without a form begins with. */
export function skeleton(apiVersion: string, kind: string): unknown {
  const template = { spec: { containers: [{ name: "worker", image: "", command: [] }] } };
  const spec = apiVersion.startsWith("kubeflow.org/")
    ? { [`${kind.replace(/Job$/, "").replace(/^PyTorch$/, "pytorch").toLowerCase()}ReplicaSpecs`]: { Worker: { replicas: 1, restartPolicy: "OnFailure", template } } }
    : { replicaSpecs: [{ type: "worker", replicas: 1, template }] };
  return { apiVersion, kind, metadata: { name: "" }, spec };
}
