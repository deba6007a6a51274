import { expect, it } from "vitest";
import type { Job, JobState, JobSummary } from "../../api/jobs";
import { failedSince, lossCurve, running, waiting } from "./model";

const job = (name: string, state: JobState, more: Partial<JobSummary> = {}): Job => ({
  apiVersion: "batch.tensorstack.dev/v1beta1", kind: "PyTorchTrainingJob", metadata: { name, creationTimestamp: "2026-01-01T00:00:00Z" },
  summary: { state, replicas: { wanted: 1, running: 0, succeeded: 0 }, restarts: 0, roles: [], resources: {}, ...more },
});
const names = (jobs: Job[]) => jobs.map((one) => one.metadata?.name);
const all = [
  job("old", "Failed", { completionTime: "2026-01-01T00:00:00Z" }), job("early", "Failed", { completionTime: "2026-01-02T09:00:00Z" }),
  job("late", "Failed", { completionTime: "2026-01-02T10:00:00Z" }), job("waits", "Pending", { cause: "needs 4 nvidia.com/gpu" }), job("fresh", "Pending"), job("runs", "Running", { startTime: "2026-01-02T00:00:00Z" }),
  job("stopped", "Stopped", { cause: "stopped by a user", completionTime: "2026-01-02T10:00:00Z" }),
];

it("names what failed within a day, newest first", () => {
  expect(names(failedSince(all, Date.parse("2026-01-02T12:00:00Z")))).toEqual(["late", "early"]);
});

it("names what waits and says why, and what runs", () => {
  expect(names(waiting(all))).toEqual(["waits"]);
  expect(names(running(all))).toEqual(["runs"]);
});

it("prefers the training's own loss", () => {
  const curve = (title: string) => ({ title, points: [] });
  expect(lossCurve([curve("val/accuracy"), curve("val/loss"), curve("train/loss")])?.title).toBe("train/loss");
  expect(lossCurve([curve("val/accuracy")])).toBeUndefined();
});
