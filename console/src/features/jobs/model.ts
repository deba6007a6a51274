// What the pages say about a job, as pure functions of the job as the API returns it.
import type { Condition, Container, PodTemplateSpec } from "#types";
import type { Job } from "../../api/jobs";
import { formatBytes, formatCpu, parseQuantity } from "../../lib/quantity";
import type { State } from "../../ui/State";

export interface Role {
  name: string;
  replicas: number;
  template: PodTemplateSpec | undefined;
}

interface KubeflowRole {
  replicas?: number;
  template?: PodTemplateSpec;
}

/** The roles in the order of the spec, whatever the kind calls them. */
export function rolesOf(job: Job): Role[] {
  const spec = job.spec as unknown as Record<string, unknown>;
  const list = spec["replicaSpecs"];
  if (Array.isArray(list)) {
    return (list as ({ type?: string } & KubeflowRole)[]).map((role) => ({
      name: role.type ?? "", replicas: role.replicas ?? 1, template: role.template }));
  }
  const map = Object.entries(spec).find(([name]) => name.endsWith("ReplicaSpecs"))?.[1];
  if (map && typeof map === "object") {
    return Object.entries(map as Record<string, KubeflowRole>).map(([name, role]) => ({
      name, replicas: role.replicas ?? 1, template: role.template }));
  }
  const worker = spec["worker"] as KubeflowRole | undefined;
  return worker ? [{ name: "worker", replicas: worker.replicas ?? 1, template: worker.template }] : [];
}

/** How many processes torchrun starts in each replica; 1 where nothing says so. */
export function processesPerReplica(job: Job): number {
  const spec = job.spec as { torchrunConfig?: { enabled?: boolean; procPerNode?: string }; nprocPerNode?: string };
  const given = spec.torchrunConfig?.enabled ? spec.torchrunConfig.procPerNode : spec.nprocPerNode;
  const number = Number(given);
  return Number.isInteger(number) && number > 0 ? number : 1;
}

const conditionsOf = (job: Job): Condition[] => job.status?.conditions ?? [];
const isTrue = (conditions: Condition[], type: string) =>
  conditions.some((condition) => condition.type === type && condition.status === "True");

/** Kubeflow's kinds have no phase, only conditions. */
function kubeflowState(conditions: Condition[]): State {
  if (isTrue(conditions, "Succeeded")) return "Succeeded";
  if (isTrue(conditions, "Failed")) return "Failed";
  if (isTrue(conditions, "Suspended")) return "Paused";
  if (isTrue(conditions, "Running")) return "Running";
  return "Pending";
}

const phases: readonly string[] = ["Pending", "Running", "Paused", "Resuming", "Succeeded", "Failed", "Unknown"];

export function stateOf(job: Job): State {
  if (job.metadata?.deletionTimestamp) return "Deleting";
  const phase = (job.status as { phase?: string } | undefined)?.phase;
  if (phase !== undefined) return phases.includes(phase) ? (phase as State) : "Unknown";
  return kubeflowState(conditionsOf(job));
}

/** What the tutorials and other tools call the same states, for the search. */
const otherWords: Partial<Record<State, string>> = { Succeeded: "done completed", Failed: "error" };

/** Why the job waits or failed, in the controller's own words; "" for a job that needs nobody. */
export function causeOf(job: Job): string {
  const conditions = conditionsOf(job);
  const state = stateOf(job);
  const message = (found: Condition | undefined) => found?.message ?? "";
  if (state === "Failed") return message(conditions.find((one) => one.type === "Failed" && one.status === "True"));
  if (state !== "Pending" && state !== "Running" && state !== "Resuming") return "";
  return message(conditions.find((one) => one.reason === "Unschedulable")) ||
    message(conditions.find((one) => one.type === "ReplicaFailure" && one.status === "True"));
}

export interface Amounts {
  request: number | undefined;
  limit: number | undefined;
}

function sum(job: Job, resource: string): Amounts {
  const total: Amounts = { request: undefined, limit: undefined };
  for (const role of rolesOf(job)) {
    for (const container of (role.template?.spec?.containers ?? []) as Container[]) {
      const request = parseQuantity(container.resources?.requests?.[resource]);
      const limit = parseQuantity(container.resources?.limits?.[resource]);
      if (request !== undefined) total.request = (total.request ?? 0) + request * role.replicas;
      if (limit !== undefined) total.limit = (total.limit ?? 0) + limit * role.replicas;
    }
  }
  return total;
}

export const cpuOf = (job: Job) => sum(job, "cpu");
export const memoryOf = (job: Job) => sum(job, "memory");
export const cpuText = ({ request, limit }: Amounts) => `${formatCpu(request)} / ${formatCpu(limit)}`;
export const memoryText = ({ request, limit }: Amounts) => `${formatBytes(request)} / ${formatBytes(limit)}`;

/** "3/4": how many replicas run or have succeeded, of all. */
export function readyText(job: Job): string {
  const total = rolesOf(job).reduce((count, role) => count + role.replicas, 0);
  const status = job.status as
    | { aggregate?: { running?: number; succeeded?: number }; replicaStatuses?: Record<string, { active?: number; succeeded?: number }> }
    | undefined;
  const groups = status?.aggregate
    ? [{ active: status.aggregate.running ?? 0, succeeded: status.aggregate.succeeded ?? 0 }]
    : Object.values(status?.replicaStatuses ?? {});
  return `${groups.reduce((count, one) => count + (one.active ?? 0) + (one.succeeded ?? 0), 0)}/${total}`;
}

export function queueOf(job: Job): string {
  const spec = job.spec as { scheduler?: { t9kScheduler?: { queue?: string } }; runPolicy?: { schedulingPolicy?: { queue?: string } } };
  return spec.scheduler?.t9kScheduler?.queue ?? spec.runPolicy?.schedulingPolicy?.queue ?? "";
}

/** Where jobs wait that name no queue. */
const defaultQueue = "default";

/** The claims that the job's pods mount. */
export function claimsOf(job: Job): string[] {
  const names = rolesOf(job).flatMap((role) =>
    (role.template?.spec?.volumes ?? []).flatMap((volume) => volume.persistentVolumeClaim?.claimName ?? []));
  return [...new Set(names)];
}

export const labelsOf = (job: Job) => Object.entries(job.metadata?.labels ?? {}).map(([key, value]) => (value ? `${key}=${value}` : key));

// ---- the list ----

export interface Filter {
  search: string;
  phase: string;
  kind: string;
  label: string;
  queue: string;
}

/** By part of the name, or by the beginning of a word for the state. */
function matchesSearch(job: Job, search: string): boolean {
  const state = stateOf(job);
  const words = `${state} ${otherWords[state] ?? ""}`.toLowerCase().split(" ");
  const name = job.metadata?.name ?? "";
  return search.toLowerCase().split(/\s+/).every((text) => name.includes(text) || (text.length > 2 && words.some((word) => word.startsWith(text))));
}

export function matches(job: Job, filter: Filter): boolean {
  if (filter.phase && stateOf(job) !== filter.phase) return false;
  if (filter.kind && job.kind !== filter.kind) return false;
  if (filter.queue && (queueOf(job) || defaultQueue) !== filter.queue) return false;
  if (filter.label && !labelsOf(job).some((label) => label === filter.label || label.startsWith(`${filter.label}=`))) return false;
  return matchesSearch(job, filter.search.trim());
}
