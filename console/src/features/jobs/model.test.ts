import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import type { Job } from "../../api/jobs";
import { comparator, parseSort } from "../../lib/sort";
import * as model from "./model";

const example = (path: string) => parse(readFileSync(`../examples/${path}`, "utf8")) as Job;
const withStatus = (job: Job, status: unknown) => ({ ...job, status }) as Job;
const condition = (type: string, status: string, message = "", reason = "") => ({ type, status, message, reason });

const ddp = example("pytorchtrainingjob/ddp/job_cpu.yaml");
const ps = example("pytorchtrainingjob/ps/job_cpu.yaml");

describe("the tutorials' jobs", () => {
  it("000: one pod with four processes", () => {
    expect(model.rolesOf(ddp).map((role) => [role.name, role.replicas])).toEqual([["node", 1]]);
    expect(model.processesPerReplica(ddp)).toBe(4);
    expect(model.cpuText(model.cpuOf(ddp))).toBe("16.00 / 32.00");
    expect(model.memoryText(model.memoryOf(ddp))).toBe("8.00Gi / 16.00Gi");
    expect(model.claimsOf(ddp)).toEqual(["tutorial"]);
  });
  it("001: a parameter server and four workers", () => {
    expect(model.rolesOf(ps).map((role) => [role.name, role.replicas])).toEqual([["ps", 1], ["worker", 4]]);
    expect(model.cpuText(model.cpuOf(ps))).toBe("16.00 / 32.00");
    expect(model.memoryText(model.memoryOf(ps))).toBe("12.00Gi / 24.00Gi");
  });
});

describe("states", () => {
  it("are the phase, or come from Kubeflow's conditions", () => {
    expect(model.stateOf(withStatus(ddp, { phase: "Running" }))).toBe("Running");
    expect(model.stateOf(withStatus(ddp, { phase: "New" }))).toBe("Unknown");
    expect(model.stateOf(withStatus(ddp, { conditions: [condition("Created", "True"), condition("Running", "True")] }))).toBe("Running");
    expect(model.stateOf(withStatus(ddp, { conditions: [condition("Running", "False"), condition("Succeeded", "True")] }))).toBe("Succeeded");
    expect(model.stateOf(withStatus(ddp, undefined))).toBe("Pending");
    expect(model.stateOf({ ...ddp, metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } })).toBe("Deleting");
  });
  it("of waiting and failed jobs have a cause", () => {
    const waits = withStatus(ddp, { phase: "Pending", conditions: [condition("Running", "False", "needs 4 nvidia.com/gpu, 0 free", "Unschedulable")] });
    expect(model.causeOf(waits)).toBe("needs 4 nvidia.com/gpu, 0 free");
    const failed = withStatus(ddp, { phase: "Failed", conditions: [condition("Failed", "True", "replica worker-1 ended with exit code 1")] });
    expect(model.causeOf(failed)).toBe("replica worker-1 ended with exit code 1");
    expect(model.causeOf(withStatus(ddp, { phase: "Running", conditions: [condition("ReplicaFailure", "False", "all pods are normal")] }))).toBe("");
  });
});

describe("the list", () => {
  const job = (name: string, created: string, phase: string) =>
    ({ ...withStatus(ddp, { phase }), metadata: { name, creationTimestamp: created, labels: { team: "a" } } }) as Job;
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
  it("is found by the other words for a state", () => {
    expect(names(jobs.filter((one) => model.matches(one, { ...none, search: "done" })))).toEqual(["c"]);
    expect(names(jobs.filter((one) => model.matches(one, { ...none, search: "Error" })))).toEqual(["a"]);
  });
});

// The same inputs as the goldens of the controllers: every kind that they know can be shown.
describe("the controllers' test jobs", () => {
  it.each(["budget-exhausted", "mpi-job-life", "kubeflow-mpi-job-v1", "deadline"])("%s has roles", (name) => {
    const documents = parseAllDocuments(readFileSync(`../src/control/job/testdata/${name}.in.yaml`, "utf8"));
    const given = documents[0]?.toJS() as { job?: Job };
    expect(given.job ? model.rolesOf(given.job).length : 0).toBeGreaterThan(0);
  });
});
