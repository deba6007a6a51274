import type { Condition, Node, Pod } from "#types";
import { expect, it } from "vitest";
import { gpuPlaces, nodeProblem, resourcesOf } from "./model";

const node = (conditions: Condition[] = []): Node => ({
  apiVersion: "v1", kind: "Node", metadata: { name: "here" },
  status: { capacity: { cpu: "8", memory: "16Gi", "nvidia.com/gpu": 4 }, allocatable: { cpu: "8", memory: "15Gi", "nvidia.com/gpu": 4, pods: 110 }, conditions },
});
const pod = (name: string, gpus: number, phase: "Running" | "Succeeded" = "Running", nodeName = "here"): Pod => ({
  apiVersion: "v1", kind: "Pod", metadata: { name },
  spec: { nodeName, containers: [{ name: "main", resources: { requests: { cpu: "500m" }, limits: { cpu: 2, "nvidia.com/gpu": gpus } } }] }, status: { phase },
});

it("says what is wrong with a machine, and nothing of a good one", () => {
  expect(nodeProblem(node([{ type: "Ready", status: "True" }, { type: "DiskPressure", status: "False" }, { type: "LimitsEnforced", status: "True" }]))).toBe("");
  expect(nodeProblem(node([{ type: "Ready", status: "False", message: "agent is gone" }]))).toBe("agent is gone");
  expect(nodeProblem(node([{ type: "Ready", status: "True" }, { type: "DiskPressure", status: "True", reason: "Full" }]))).toBe("DiskPressure: Full");
});

it("counts what pods that have not ended keep", () => {
  const [cpu, memory, gpu] = resourcesOf(node(), [pod("a", 2), pod("b", 1, "Succeeded"), pod("c", 1, "Running", "elsewhere")], {
    apiVersion: "metrics.k8s.io/v1beta1", kind: "NodeMetrics", usage: { cpu: "1500000000n", memory: "1048576Ki" } });
  expect(cpu).toEqual({ resource: "cpu", capacity: 8, allocatable: 8, requested: 0.5, used: 1.5 });
  expect(memory).toMatchObject({ requested: 0, used: 2 ** 30, allocatable: 15 * 2 ** 30 });
  expect(gpu).toMatchObject({ resource: "nvidia.com/gpu", allocatable: 4, requested: 2, used: undefined });
});

it("has a place for each GPU, the held ones first", () => {
  expect(gpuPlaces(node(), [pod("a", 2), pod("b", 1)]).map((place) => [place.pod?.metadata?.name, place.index])).toEqual([["a", 0], ["a", 1], ["b", 0], [undefined, 0]]);
});
