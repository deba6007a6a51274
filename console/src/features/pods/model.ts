// What the pages say about a pod, as pure functions of the pod as the API returns it.
import type { Container, ContainerState, ContainerStateTerminated, ContainerStatus, OwnerReference, Pod, PodGroup } from "#types";
import { parseQuantity } from "../../lib/quantity";
import type { State } from "../../ui/State";
import type { Amounts } from "../jobs/model";

export function podState(pod: Pod): State {
  if (pod.metadata?.deletionTimestamp) return "Deleting";
  const phase = pod.status?.phase ?? "Pending";
  return phase === "Pending" && pod.spec?.nodeName ? "Starting" : phase;
}

export const hasEnded = (pod: Pod) => pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
const statusesOf = (pod: Pod): ContainerStatus[] => pod.status?.containerStatuses ?? [];

export function exitOf(pod: Pod): ContainerStateTerminated | undefined {
  const ended = statusesOf(pod).map((one) => one.state?.terminated ?? one.lastState?.terminated).filter((one) => one !== undefined);
  return ended.find((one) => one.exitCode !== 0) ?? ended[0];
}

export const restartsOf = (pod: Pod) => statusesOf(pod).reduce((count, one) => count + (one.restartCount ?? 0), 0);

/** "1/2": how many containers are ready, of all. */
export const readyText = (pod: Pod) => `${statusesOf(pod).filter((one) => one.ready).length}/${pod.spec.containers.length}`;

export function amountsOf(pod: Pod, resource: string): Amounts {
  const total: Amounts = { request: undefined, limit: undefined };
  for (const container of pod.spec?.containers ?? []) {
    const request = parseQuantity(container.resources?.requests?.[resource]);
    const limit = parseQuantity(container.resources?.limits?.[resource]);
    if (request !== undefined) total.request = (total.request ?? 0) + request;
    if (limit !== undefined) total.limit = (total.limit ?? 0) + limit;
  }
  return total;
}

/** How much of a resource the pod keeps from others; a limit alone is also a request. */
export function heldBy(pod: Pod, resource: string): number {
  const { request, limit } = amountsOf(pod, resource);
  return pod.spec.nodeName && !hasEnded(pod) ? (request ?? limit ?? 0) : 0;
}

const ordinary = ["cpu", "memory", "ephemeral-storage"];

/** The names of the resources other than CPU and memory, such as nvidia.com/gpu. */
export function extendedResources(pod: Pod): string[] {
  const names = pod.spec.containers.flatMap((one) => Object.keys({ ...one.resources?.requests, ...one.resources?.limits }));
  return [...new Set(names)].filter((name) => !ordinary.includes(name) && !name.startsWith("hugepages-"));
}

export const podGroupOf = (pod: Pod) => pod.metadata?.labels?.["scheduler.tensorstack.dev/group-name"] ?? "";
/** A pod by itself names its queue in a label; one of a job waits in the queue of its group. */
export function podQueueOf(pod: Pod, groups: ReadonlyMap<string, PodGroup>): string {
  return pod.metadata?.labels?.["scheduler.tensorstack.dev/queue"] ?? groups.get(`PodGroup/${pod.metadata?.namespace}/${podGroupOf(pod)}`)?.spec.queue ?? "";
}

export const ownerOf = (pod: Pod): OwnerReference | undefined => pod.metadata?.ownerReferences?.find((owner) => owner.controller);

function whyWaiting(state: ContainerState | undefined): string {
  const { reason = "", message = "" } = state?.waiting ?? {};
  return message ? `${reason}: ${message}` : reason;
}

/** "exit code 1: ValueError: no such data": the last line that a program leaves says most. */
function exitSentence(exit: ContainerStateTerminated | undefined): string {
  if (!exit) return "";
  const last = (exit.message ?? "").trim().split("\n").pop() || (exit.reason === "Error" ? "" : exit.reason);
  return `exit code ${exit.exitCode}${last ? `: ${last}` : ""}`;
}

// A container that is being created also has a reason, and needs no attention.
const needsNobody = ["", "ContainerCreating", "PodInitializing"];

/** Why the pod waits or failed, in the words of the scheduler or of the node; "" for one that needs nobody. */
export function podCause(pod: Pod): string {
  const state = podState(pod);
  if (state === "Failed") return pod.status?.message || exitSentence(exitOf(pod)) || pod.status?.reason || "";
  if (state === "Pending") return pod.status?.conditions?.find((one) => one.type === "PodScheduled" && one.status === "False")?.message ?? "";
  const all = [...(pod.status?.initContainerStatuses ?? []), ...statusesOf(pod)];
  return all.map((one) => whyWaiting(one.state)).find((why) => !needsNobody.includes(why)) ?? "";
}

export interface ContainerView {
  spec: Container;
  isInit: boolean;
  status: ContainerStatus | undefined;
}

/** The containers in the order they start in. */
export function containersOf(pod: Pod): ContainerView[] {
  const view = (isInit: boolean, statuses: ContainerStatus[]) => (spec: Container) => ({ spec, isInit, status: statuses.find((one) => one.name === spec.name) });
  return [
    ...(pod.spec.initContainers ?? []).map(view(true, pod.status?.initContainerStatuses ?? [])),
    ...pod.spec.containers.map(view(false, statusesOf(pod))),
  ];
}

/** The pod as if it had this container alone, for views of one container. */
export function withOnly(pod: Pod, container: ContainerView): Pod {
  return {
    ...pod,
    spec: { ...pod.spec, containers: [container.spec] },
    status: { ...pod.status, containerStatuses: container.status ? [container.status] : [] },
  };
}

export function containerState({ status }: ContainerView): State {
  if (status?.state?.running) return "Running";
  const ended = status?.state?.terminated;
  if (ended) return ended.exitCode === 0 ? "Succeeded" : "Failed";
  return "Pending";
}

// ---- the list ----

export interface PodFilter {
  phase: string;
  label: string;
  group: string;
  resource: string;
  queue: string;
}

export function matchesPod(pod: Pod, filter: PodFilter, groups: ReadonlyMap<string, PodGroup>): boolean {
  if (filter.phase && podState(pod) !== filter.phase) return false;
  if (filter.group && podGroupOf(pod) !== filter.group) return false;
  if (filter.queue && podQueueOf(pod, groups) !== filter.queue) return false;
  if (filter.resource && !extendedResources(pod).includes(filter.resource)) return false;
  const [key = "", value] = filter.label.split("=");
  const labels = pod.metadata?.labels ?? {};
  return !key || (value === undefined ? key in labels : labels[key] === value);
}
