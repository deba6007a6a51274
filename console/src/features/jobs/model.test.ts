import { describe, expect, it } from "vitest";
import type { Job, JobState, JobSummary } from "../../api/jobs";
import { comparator, parseSort } from "../../lib/sort";
import * as model from "./model";
import { decidesResult, orderPods, rankOf } from "./replicas";
import type { Pod } from "#types";

const nothing: JobSummary = { state: "Pending", replicas: { wanted: 0, running: 0, succeeded: 0 }, restarts: 0, roles: [], resources: {} };
const jobWith = (summary: Partial<JobSummary>): Job =>
  ({ apiVersion: "batch.tensorstack.dev/v1beta1", kind: "PyTorchTrainingJob", metadata: { name: "a", uid: "u" }, summary: { ...nothing, ...summary } });

describe("a summary", () => {
  it("says what the job has and asks for", () => {
    const job = jobWith({ replicas: { wanted: 5, running: 2, succeeded: 1 }, resources: { cpu: { requests: "16", limits: "32" }, memory: { requests: "12884901888" } } });
    expect(model.readyText(job)).toBe("3/5");
    expect(model.cpuText(model.cpuOf(job))).toBe("16.00 / 32.00");
    expect(model.memoryText(model.memoryOf(job))).toBe("12.00Gi / -");
  });
  it("is missing for a job of an unknown kind", () => {
    const job: Job = { apiVersion: "kubeflow.org/v1", kind: "PaddleJob", metadata: { name: "a" } };
    expect(model.stateOf(job)).toBe("Unknown");
    expect(model.readyText(job)).toBe("0/0");
    expect([model.canPause(job), model.canStop(job), model.causeOf(job)]).toEqual([false, false, ""]);
  });
});

describe("what can be done", () => {
  const can = (summary: Partial<JobSummary>) => {
    const job = jobWith(summary);
    return [model.canPause(job), model.canResume(job), model.canStop(job), model.canScale(job)];
  };
  it("depends on the state", () => {
    expect(can({ state: "Running" })).toEqual([true, false, true, false]);
    expect(can({ state: "Restarting", elastic: { least: 1, most: 4 } })).toEqual([true, false, true, true]);
    expect(can({ state: "Paused", paused: true })).toEqual([false, true, true, false]);
    expect(can({ state: "Running", paused: true })).toEqual([false, true, true, false]);
  });
  it.each<JobState>(["Succeeded", "Failed", "Stopped", "Deleting"])("is nothing for a job that is %s", (state) => {
    expect(can({ state, elastic: { least: 1, most: 4 } })).toEqual([false, false, false, false]);
  });
});

describe("the replicas", () => {
  const pod = (name: string, role: string, index: number, owner = "u") =>
    ({ metadata: { name, labels: { "replica-type": role, "replica-index": String(index) }, ownerReferences: [{ uid: owner }] } }) as unknown as Pod;
  const job = jobWith({ roles: [{ name: "Launcher", replicas: 1, firstRank: 0, processes: 0 }, { name: "Worker", replicas: 2, firstRank: 1, processes: 2 }], decidingPod: "a-launcher-0" });
  const pods = [pod("a-worker-1", "worker", 1), pod("other", "worker", 0, "x"), pod("a-worker-0", "worker", 0), pod("a-launcher-0", "launcher", 0)];
  it("come in the order of their ranks", () => {
    const ordered = orderPods(job, pods);
    expect(ordered.map((one) => one.metadata?.name)).toEqual(["a-launcher-0", "a-worker-0", "a-worker-1"]);
    expect(ordered.map((one) => rankOf(job, one))).toEqual([0, 1, 2]);
    expect(ordered.map((one) => decidesResult(job, one))).toEqual([true, false, false]);
  });
});

describe("the list", () => {
  const job = (name: string, created: string, state: JobState): Job =>
    ({ ...jobWith({ state, queue: name === "a" ? "night" : "default" }), metadata: { name, creationTimestamp: created, labels: { team: "a" } } });
  const jobs = [job("a", "2026-01-01T00:00:00Z", "Failed"), job("b", "2026-01-03T00:00:00Z", "Running"), job("c", "2026-01-02T00:00:00Z", "Succeeded")];
  const names = (list: Job[]) => list.map((one) => one.metadata?.name);
  const none = { search: "", phase: "", kind: "", label: "", queue: "" };

  it("has the newest first", () => {
    expect(names([...jobs].sort(comparator(parseSort(""), model.stateOf)))).toEqual(["b", "c", "a"]);
    expect(names([...jobs].sort(comparator(parseSort("name:asc"), model.stateOf)))).toEqual(["a", "b", "c"]);
  });
  it("is filtered by everything at once", () => {
    expect(names(jobs.filter((one) => model.matches(one, { ...none, phase: "Running" })))).toEqual(["b"]);
    expect(names(jobs.filter((one) => model.matches(one, { ...none, label: "team" })))).toEqual(["a", "b", "c"]);
    expect(names(jobs.filter((one) => model.matches(one, { ...none, label: "team=a", search: "c" })))).toEqual(["c"]);
    expect(jobs.filter((one) => model.matches(one, { ...none, kind: "MPIJob" }))).toEqual([]);
  });
  it("is filtered by the queue that a job waits in", () => {
    expect(names(jobs.filter((one) => model.matches(one, { ...none, queue: "default" })))).toEqual(["b", "c"]);
  });
  it("is found by the other words for a state", () => {
    expect(names(jobs.filter((one) => model.matches(one, { ...none, search: "done" })))).toEqual(["c"]);
    expect(names(jobs.filter((one) => model.matches(one, { ...none, search: "Error" })))).toEqual(["a"]);
  });
});
