import type { Pod, PodGroup } from "#types";
import { describe, expect, it } from "vitest";
import * as model from "./model";

const pod = (more: Partial<Pod> = {}): Pod => ({
  apiVersion: "v1", kind: "Pod", metadata: { name: "p", namespace: "default", labels: { app: "x", "scheduler.tensorstack.dev/group-name": "g" } },
  spec: { containers: [{ name: "main", resources: { limits: { "nvidia.com/gpu": 2 } } }, { name: "side" }], initContainers: [{ name: "first" }] }, ...more,
});
const state = (name: string, of: object, restartCount = 0) => ({ name, state: of, ready: true, restartCount, image: "", imageID: "" });

describe("the cause on a pod's row", () => {
  it("is the scheduler's sentence while it has no node", () => {
    const conditions = [{ type: "PodScheduled", status: "False" as const, reason: "Unschedulable", message: "needs 4 nvidia.com/gpu" }];
    expect(model.podCause(pod({ status: { phase: "Pending", conditions } }))).toBe("needs 4 nvidia.com/gpu");
  });
  it("is why a container waits, unless it is only being made", () => {
    const waiting = (reason: string, message?: string) => pod({ spec: { ...pod().spec, nodeName: "here" }, status: { phase: "Pending", containerStatuses: [state("main", { waiting: { reason, ...(message ? { message } : {}) } })] } });
    expect(model.podCause(waiting("ContainerCreating"))).toBe("");
    expect(model.podCause(waiting("CreateContainerConfigError", "secret \"s\" not found"))).toBe("CreateContainerConfigError: secret \"s\" not found");
  });
  it("is how it failed, and nothing for one that is well", () => {
    expect(model.podCause(pod({ status: { phase: "Failed", message: "exit code 3" } }))).toBe("exit code 3");
    const exit = { exitCode: 1, reason: "Error", message: "Traceback (most recent call last):\n  File\nValueError: no such data\n" };
    expect(model.podCause(pod({ status: { phase: "Failed", containerStatuses: [state("main", { terminated: exit })] } }))).toBe("exit code 1: ValueError: no such data");
    expect(model.podCause(pod({ status: { phase: "Running" } }))).toBe("");
  });
});

it("counts what a pod keeps while it has a node and has not ended", () => {
  const bound = { ...pod().spec, nodeName: "here" };
  expect(model.heldBy(pod(), "nvidia.com/gpu")).toBe(0);
  expect(model.heldBy(pod({ spec: bound, status: { phase: "Running" } }), "nvidia.com/gpu")).toBe(2);
  expect(model.heldBy(pod({ spec: bound, status: { phase: "Succeeded" } }), "nvidia.com/gpu")).toBe(0);
});

it("shows one container as if it were alone", () => {
  const whole = pod({ status: { phase: "Running", containerStatuses: [state("main", { running: {} }), state("side", { terminated: { exitCode: 3 } }, 2)] } });
  const [first, main, side] = model.containersOf(whole);
  expect([first, main, side].map((one) => [one?.spec.name, one?.isInit, one && model.containerState(one)])).toEqual([["first", true, "Pending"], ["main", false, "Running"], ["side", false, "Failed"]]);
  const alone = side && model.withOnly(whole, side);
  expect(alone && [alone.spec.containers.length, model.restartsOf(alone), model.exitOf(alone)?.exitCode]).toEqual([1, 2, 3]);
});

it("filters by phase, label, group, resource and queue", () => {
  const none = { phase: "", label: "", group: "", resource: "", queue: "" };
  const groups = new Map([["PodGroup/default/g", { apiVersion: "scheduler.tensorstack.dev/v1beta1", kind: "PodGroup", spec: { minMember: 1, queue: "q" } } as PodGroup]]);
  const matches = (filter: Partial<model.PodFilter>) => model.matchesPod(pod({ status: { phase: "Running" } }), { ...none, ...filter }, groups);
  expect([matches({}), matches({ phase: "Running" }), matches({ label: "app" }), matches({ label: "app=x" }), matches({ group: "g" }), matches({ resource: "nvidia.com/gpu" }), matches({ queue: "q" })]).toEqual(Array(7).fill(true));
  expect([matches({ phase: "Failed" }), matches({ label: "app=y" }), matches({ label: "none" }), matches({ group: "h" }), matches({ resource: "rdma/x" }), matches({ queue: "r" })]).toEqual(Array(6).fill(false));
});
