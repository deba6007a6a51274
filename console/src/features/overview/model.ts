// Which jobs the overview names, as pure functions.
import { summaryOf, type Job, type JobState } from "../../api/jobs";
import type { Point } from "../../lib/series";
import { causeOf, stateOf } from "../jobs/model";

const day = 24 * 3600 * 1000;
const newest = (a: string | undefined, b: string | undefined) => (b ?? "").localeCompare(a ?? "");

export const failedSince = (jobs: Job[], now: number) =>
  jobs.filter((job) => stateOf(job) === "Failed" && now - Date.parse(summaryOf(job).completionTime ?? job.metadata?.creationTimestamp ?? "") < day)
    .sort((a, b) => newest(summaryOf(a).completionTime, summaryOf(b).completionTime));

const unfinished: JobState[] = ["Pending", "Resuming", "Running", "Restarting"];

/** The jobs that wait for something, restart or do nothing, and say so; the longest wait first. */
export const waiting = (jobs: Job[]) =>
  jobs.filter((job) => unfinished.includes(stateOf(job)) && causeOf(job) !== "").sort((a, b) => newest(b.metadata?.creationTimestamp, a.metadata?.creationTimestamp));

export const running = (jobs: Job[]) =>
  jobs.filter((job) => stateOf(job) === "Running").sort((a, b) => newest(summaryOf(a).startTime, summaryOf(b).startTime));

/** The curve that people look at first: the loss of the training. */
export function lossCurve(curves: { title: string; points: Point[] }[]): { title: string; points: Point[] } | undefined {
  const losses = curves.filter((curve) => /loss/i.test(curve.title));
  return losses.find((curve) => /train/i.test(curve.title)) ?? losses[0];
}
