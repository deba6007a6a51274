// The moments of a job's life that its charts show: changes of its phase, and restarts. Pure.
import type { Event, Pod } from "#types";
import { summaryOf, type Job } from "../../api/jobs";
import type { Mark } from "../../ui/Chart";
import { t, type Key } from "../../i18n";
import { attemptOf } from "./replicas";

/** Which state a condition means when it becomes true. */
const states: Record<string, string> = { Running: "Running", Paused: "Paused", Suspended: "Paused", Completed: "Succeeded", Succeeded: "Succeeded", Failed: "Failed" };

/** The reasons of the events that tell of a restart: TensorStack's kinds have one, Kubeflow's one each. */
const restartReason = /^(PodRestarted|\w+JobRestarting)$/;

const secondsOf = (text: string | undefined) => Date.parse(text ?? "") / 1000;

export function marksOf(job: Job, pods: Pod[], events: Event[]): Mark[] {
  const summary = summaryOf(job);
  const start = secondsOf(summary.startTime);
  const phases = (job.status?.conditions ?? []).flatMap((condition) => {
    const named = condition.status === "True" ? states[condition.type] : undefined;
    const state = named === "Failed" && summary.state === "Stopped" ? "Stopped" : named;
    return state ? [{ time: secondsOf(condition.lastTransitionTime), label: t(`state.${state}` as Key) }] : [];
  });
  // The replicas of one attempt start together, so one mark stands for all of them.
  const attempts = new Map<number, number>();
  for (const pod of pods) {
    const attempt = attemptOf(pod);
    const time = secondsOf(pod.metadata?.creationTimestamp);
    if (attempt > 0) attempts.set(attempt, Math.min(time, attempts.get(attempt) ?? Infinity));
  }
  const starts = [...attempts].map(([attempt, time]) => ({ time, label: t("metrics.attempt", { number: attempt + 1 }) }));
  // Pods of earlier attempts are gone; what is left of their ends are events.
  const restarts = events
    .filter((event) => event.involvedObject.uid === job.metadata?.uid && restartReason.test(event.reason ?? ""))
    .map((event) => ({ time: secondsOf(event.lastTimestamp), label: t("metrics.restart") }));
  return [{ time: start, label: t("metrics.started") }, ...phases, ...starts, ...restarts].filter((mark) => !Number.isNaN(mark.time)).sort((a, b) => a.time - b.time);
}
