// What the pages say about a claim, as pure functions of what the API returns.
import type { PersistentVolumeClaim, Pod } from "#types";
import { formatBytes, parseQuantity } from "../../lib/quantity";
import type { State } from "../../ui/State";

export function stateOf(claim: PersistentVolumeClaim): State {
  if (claim.metadata?.deletionTimestamp) return "Deleting";
  switch (claim.status?.phase) {
    case "Bound": return "Bound";
    case "Lost": return "Failed";
    default: return "Pending";
  }
}

/** What it holds, as it was written. */
export const sizeOf = (claim: PersistentVolumeClaim) =>
  String(claim.status?.capacity?.["storage"] ?? claim.spec?.resources?.requests?.["storage"] ?? "-");

/** What its files take on the disk, as measured last. */
export const usedOf = (claim: PersistentVolumeClaim) => formatBytes(parseQuantity(claim.metadata?.annotations?.["muster.dev/used"]));

/** The pods that mount it and have not ended: while there is one, it cannot be deleted. */
export function usersOf(claim: PersistentVolumeClaim, pods: Iterable<Pod>): string[] {
  return [...pods]
    .filter((pod) => pod.metadata?.namespace === claim.metadata?.namespace && !["Succeeded", "Failed"].includes(pod.status?.phase ?? ""))
    .filter((pod) => pod.spec?.volumes?.some((volume) => volume.persistentVolumeClaim?.claimName === claim.metadata?.name))
    .map((pod) => pod.metadata?.name ?? "")
    .sort();
}

export const accessModes = ["ReadWriteMany", "ReadWriteOnce", "ReadOnlyMany"];

export interface ClaimForm {
  name: string;
  size: string;
  accessMode: string;
}

export const claimManifest = (form: ClaimForm): PersistentVolumeClaim => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: form.name },
  spec: { accessModes: [form.accessMode], resources: { requests: { storage: form.size } } },
});
