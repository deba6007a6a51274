import { expect, it, vi } from "vitest";

vi.stubGlobal("sessionStorage", { getItem: () => "" });
vi.stubGlobal("document", { hidden: true });
const { curvesOf } = await import("./Curves");

it("draws each tag of each run, and leaves out what is not a number", () => {
  const series = [{ tag: "train/loss", points: [[1, 10, 0.5], [2, 11, null]] as [number, number, number | null][] }];
  expect(curvesOf({ runs: [{ name: ".", series }] })).toEqual([{ title: "train/loss", points: [{ time: 10, value: 0.5 }] }]);
  expect(curvesOf({ runs: [{ name: "worker_1", series }, { name: "worker_2", series: [] }] }).map((curve) => curve.title)).toEqual(["train/loss (worker_1)"]);
  const found = ["logs/train", "logs/validation"].map((folder) => ({ name: ".", folder, series }));
  expect(curvesOf({ runs: found }).map((curve) => curve.title)).toEqual(["train/loss (logs/train)", "train/loss (logs/validation)"]);
});
