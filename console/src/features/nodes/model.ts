// What a machine has, what pods keep of it and what is in use, as pure functions.
import type { Condition, Node, NodeMetrics, Pod } from "#types";
import { parseQuantity } from "../../lib/quantity";
import { heldBy } from "../pods/model";

export const gpuResource = "nvidia.com/gpu";

export const isReady = (node: Node) => node.status?.conditions?.some((one) => one.type === "Ready" && one.status === "True") ?? false;

/** Ready is good when it is true; what a machine is short of, or lacks, is bad. */
const isBad = ({ type, status }: Condition) => (type === "Ready" ? status !== "True" : /Pressure$|Unavailable$/.test(type) && status === "True");

/** Why the machine takes no pods, or is short of something; "" when all is well. */
export function nodeProblem(node: Node): string {
  const bad = (node.status?.conditions ?? []).find(isBad);
  return bad ? [bad.type === "Ready" ? "" : `${bad.type}: `, bad.message || bad.reason || bad.status].join("") : "";
}

export const podsOn = (node: Node, pods: Pod[]) => pods.filter((pod) => pod.spec.nodeName === node.metadata?.name);

export interface ResourceUse {
  resource: string;
  capacity: number;
  allocatable: number;
  /** What pods have asked for. */
  requested: number;
  /** What is measured; undefined where nothing measures it. */
  used: number | undefined;
}

/** All resources of the node: CPU and memory first. */
export function resourcesOf(node: Node, pods: Pod[], metrics: NodeMetrics | undefined): ResourceUse[] {
  const here = podsOn(node, pods);
  const rest = Object.keys(node.status?.allocatable ?? {}).filter((name) => name !== "cpu" && name !== "memory" && name !== "pods").sort();
  return ["cpu", "memory", ...rest].map((resource) => {
    const allocatable = parseQuantity(node.status?.allocatable?.[resource]) ?? 0;
    return {
      resource, allocatable,
      capacity: parseQuantity(node.status?.capacity?.[resource]) ?? allocatable,
      requested: here.reduce((sum, pod) => sum + heldBy(pod, resource), 0),
      used: parseQuantity(metrics?.usage?.[resource]),
    };
  });
}

export interface GpuPlace {
  /** The pod that has it; undefined when it is free. */
  pod: Pod | undefined;
  /** Its number among the GPUs of that pod. */
  index: number;
}

/** One place for each GPU of the node: those that pods hold, then the free ones. */
export function gpuPlaces(node: Node, pods: Pod[]): GpuPlace[] {
  const held = podsOn(node, pods).flatMap((pod) => Array.from({ length: heldBy(pod, gpuResource) }, (_, index): GpuPlace => ({ pod, index })));
  const total = parseQuantity(node.status?.allocatable?.[gpuResource]) ?? 0;
  return [...held, ...Array.from({ length: Math.max(0, total - held.length) }, (_, index): GpuPlace => ({ pod: undefined, index }))];
}
