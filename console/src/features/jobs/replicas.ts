// The pods of a job, in the order of its ranks. Pure.
import type { Pod } from "#types";
import type { Job } from "../../api/jobs";
import { rolesOf } from "./model";

const label = (pod: Pod, ...names: string[]) => names.map((name) => pod.metadata?.labels?.[name]).find(Boolean) ?? "";

export const roleOf = (pod: Pod) => label(pod, "replica-type", "training.kubeflow.org/replica-type");
export const indexOf = (pod: Pod) => Number(label(pod, "replica-index", "training.kubeflow.org/replica-index") || 0);
export const attemptOf = (pod: Pod) => Number(label(pod, "muster.dev/attempt") || 0);
export const decidesResult = (pod: Pod) => label(pod, "job-role", "training.kubeflow.org/job-role") === "master";

/** Roles in the order of the spec with a launcher first, then by index. Pods of other owners are left out. */
export function orderPods(job: Job, pods: Pod[]): Pod[] {
  const uid = job.metadata?.uid;
  const names = rolesOf(job).map((role) => role.name.toLowerCase());
  const place = (pod: Pod) => {
    const role = roleOf(pod).toLowerCase();
    return role === "launcher" ? -1 : names.indexOf(role);
  };
  return pods
    .filter((pod) => pod.metadata?.ownerReferences?.some((owner) => owner.uid === uid))
    .sort((a, b) => place(a) - place(b) || indexOf(a) - indexOf(b));
}
