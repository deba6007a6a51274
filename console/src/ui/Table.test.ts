import { expect, test } from "vitest";
import { noteLines, rowAt } from "./Table";

test("the row at a position is the last that begins at or before it", () => {
  const offsets = [0, 36, 92, 128];
  expect([0, 35, 36, 91, 92, 500].map((position) => rowAt(offsets, position))).toEqual([0, 0, 1, 1, 2, 3]);
});

test("a note takes the lines that its letters need, and never more than are shown", () => {
  expect(noteLines("exit code 1", 340)).toBe(1);
  expect(noteLines("x".repeat(60), 340)).toBe(2);
  expect(noteLines("等待".repeat(20), 340)).toBe(2);
  expect(noteLines("x".repeat(1_000_000), 340)).toBe(4);
});
