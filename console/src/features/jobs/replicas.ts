// The pods of a job, in the order of its ranks. Pure.
import type { Pod } from "#types";
import { summaryOf, type Job } from "../../api/jobs";

const label = (pod: Pod, ...names: string[]) => names.map((name) => pod.metadata?.labels?.[name]).find(Boolean) ?? "";

export const roleOf = (pod: Pod) => label(pod, "replica-type", "training.kubeflow.org/replica-type");
export const indexOf = (pod: Pod) => Number(label(pod, "replica-index", "training.kubeflow.org/replica-index") || 0);
export const attemptOf = (pod: Pod) => Number(label(pod, "muster.dev/attempt") || 0);

/** The role of the pod as the job's summary has it; undefined for a pod of no role. */
const roleIn = (job: Job, pod: Pod) => summaryOf(job).roles.find((role) => role.name.toLowerCase() === roleOf(pod).toLowerCase());

export const rankOf = (job: Job, pod: Pod) => (roleIn(job, pod)?.firstRank ?? 0) + indexOf(pod);
export const decidesResult = (job: Job, pod: Pod) => pod.metadata?.name === summaryOf(job).decidingPod;

/** In the order of the ranks. Pods of other owners are left out. */
export function orderPods(job: Job, pods: Pod[]): Pod[] {
  const uid = job.metadata?.uid;
  return pods
    .filter((pod) => pod.metadata?.ownerReferences?.some((owner) => owner.uid === uid))
    .sort((a, b) => rankOf(job, a) - rankOf(job, b));
}
