// The pods of a job that are deleted, by clean-up, a pause, a restart, or with the job: what they wrote and used is kept for a while. Pure.
import type { Pod } from "#types";
import { attemptOf } from "./replicas";

/** A pod that is deleted, as it was last. */
export type PastPod = Pod & { past: { hasLog: boolean } };
export const isPast = (pod: Pod): pod is PastPod => "past" in pod;

/** As encode() of src/jobs/history.h writes it. */
export interface JobPods {
  metadata: { uid: string };
  /** Whether the job still does. */
  exists: boolean;
  /** How many more pods there were, of which nothing is kept. */
  removed: number;
  /** Earlier jobs of the same name. */
  others: string[];
  /** In the order of the ranks. */
  items: { exists: boolean; hasLog: boolean; pod: Pod }[];
}

export interface Shown {
  /** The last pod of each replica. */
  last: Pod[];
  /** Those before, of which the charts of the job show the use. */
  earlier: PastPod[];
}

const nameOf = (pod: Pod) => pod.metadata?.name ?? "";
export const uidOf = (pod: Pod) => pod.metadata?.uid ?? "";

/** Puts the pods that exist and those that are remembered together, each once. A pod that exists is the last of its replica. */
export function lastOfEach(live: Pod[], remembered: PastPod[]): Shown {
  const existing = new Set(live.map(uidOf));
  const past = [...new Map(remembered.filter((pod) => !existing.has(uidOf(pod))).map((pod) => [uidOf(pod), pod])).values()];
  const last = new Map(live.map((pod) => [nameOf(pod), pod]));
  for (const pod of past) {
    const other = last.get(nameOf(pod));
    if (!other || (isPast(other) && attemptOf(other) < attemptOf(pod))) last.set(nameOf(pod), pod);
  }
  const shown = new Set(last.values());
  return { last: [...shown], earlier: past.filter((pod) => !shown.has(pod)) };
}
