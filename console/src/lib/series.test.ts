import { expect, it } from "vitest";
import { roundUp, sumSeries, fromLocalInput, gpuSeries, localInput, near, within } from "./series";

const history = (times: number[], values: (number | null)[], stepSeconds = 2) => ({ stepSeconds, times, series: [{ name: "cpu", unit: "cores", values }] });

it("sums replicas at the same times", () => {
  expect(sumSeries([history([10, 12], [1, 2]), history([10, 12], [3, null])], ["cpu"])).toEqual([{ time: 10, value: 4 }, { time: 12, value: 2 }]);
});

it("averages the finer of two histories", () => {
  expect(sumSeries([history([0, 2, 4, 6], [1, 1, 3, 3]), history([0, 4], [10, 10], 4)], ["cpu"])).toEqual([{ time: 0, value: 11 }, { time: 4, value: 12 }, { time: 8, value: 3 }]);
});

it("has nothing for what was not measured", () => {
  expect(sumSeries([history([1], [1])], ["memory"])).toEqual([]);
});

it("ends axes at round numbers", () => {
  expect([0, 0.3, 1, 33, 101].map((value) => roundUp(value, false))).toEqual([1, 0.5, 1, 50, 200]);
  expect(roundUp(3 * 2 ** 30, true)).toBe(5 * 2 ** 30);
});

it("finds the part of the time and the nearest point", () => {
  const points = [1, 5, 9].map((time) => ({ time, value: time * 10 }));
  expect(within(points, 2, 9).map((point) => point.time)).toEqual([5, 9]);
  expect(near(points, 6)?.time).toBe(5);
  expect(near([], 6)).toBeUndefined();
});

it("writes local times for a field and reads them back", () => {
  expect(fromLocalInput(localInput(1_790_000_000))).toBe(1_790_000_000);
  expect(fromLocalInput("soon")).toBeNaN();
});

it("has a line for each GPU of each replica", () => {
  const history = { stepSeconds: 2, times: [2], series: [{ name: "gpu-0-utilisation", unit: "percent", values: [50] }, { name: "gpu-1-utilisation", unit: "percent", values: [70] }, { name: "gpu-0-memory", unit: "bytes", values: [1] }] };
  expect(gpuSeries([{ label: "worker-0", history }], "utilisation").map((one) => [one.label, one.points[0]?.value])).toEqual([["gpu-0", 50], ["gpu-1", 70]]);
  expect(gpuSeries([{ label: "worker-0", history }, { label: "worker-1", history }], "memory").map((one) => one.label)).toEqual(["worker-0 gpu-0", "worker-1 gpu-0"]);
});
