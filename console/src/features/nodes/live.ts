// The pods that keep resources of machines, and what is measured of both.
import type { NodeMetrics, Pod } from "#types";
import { ApiError, getJson } from "../../api/client";
import type { Collection } from "../../api/collection";
import { corePath, groupPath, objectPath, ownPath } from "../../api/paths";
import { useCollection } from "../../api/useCollection";
import { usePolled, type Polled } from "../../api/usePolled";
import type { History } from "../../lib/series";
import { heldBy } from "../pods/model";
import { gpuResource } from "./model";

const measureEvery = 3000;
const members = [
  "apiVersion", "kind", "metadata.name", "metadata.namespace", "metadata.uid", "metadata.labels", "metadata.creationTimestamp", "metadata.ownerReferences",
  "metadata.resourceVersion", "spec.containers", "spec.nodeName", "status.phase",
];

/** The pods of all projects that have not ended: those that keep resources. */
export function useActivePods(): Collection<Pod> {
  return useCollection<Pod>(corePath("pods"), { fields: "status.phase!=Succeeded,status.phase!=Failed", members });
}

export function useNodeMetrics(): Polled<NodeMetrics[]> {
  return usePolled("nodes", async () => (await getJson<{ items: NodeMetrics[] }>(groupPath("metrics.k8s.io", "v1beta1", "nodes"))).items, measureEvery);
}

/** The share of each GPU that pods use, in percent, by the pod's uid and the number of its GPU: "uid/0". */
export function useGpuUse(pods: Pod[]): ReadonlyMap<string, number> {
  const holders = pods.filter((pod) => heldBy(pod, gpuResource) > 0);
  const read = async () => {
    const shares = new Map<string, number>();
    await Promise.all(holders.map(async (pod) => {
      const path = `${objectPath(ownPath("pods", pod.metadata?.namespace ?? ""), pod.metadata?.name ?? "")}/metrics`;
      const history = await getJson<History>(path).catch((error: unknown) => {
        // A pod that has not run yet has no history.
        if (error instanceof ApiError && error.code === 404) return undefined;
        throw error;
      });
      for (const series of history?.series ?? []) {
        const index = /^gpu-(\d+)-utilisation$/.exec(series.name)?.[1];
        const last = series.values[series.values.length - 1];
        if (index !== undefined && typeof last === "number") shares.set(`${pod.metadata?.uid}/${index}`, last);
      }
    }));
    return shares;
  };
  return usePolled(holders.map((pod) => pod.metadata?.uid).join(), read, measureEvery).value ?? new Map<string, number>();
}
