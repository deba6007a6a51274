import { expect, it } from "vitest";
import { roundUp, sumSeries } from "./series";

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
