import { describe, expect, it } from "vitest";
import { firstError, mergeLines, parseLine, search } from "./logs";

const line = (time: number, text: string, source = 0) => ({ time, text, source });

describe("log lines", () => {
  it("begin with their time", () => {
    expect(parseLine("2026-01-01T00:00:00.5Z epoch 1/10", 2)).toEqual({ time: Date.parse("2026-01-01T00:00:00.500Z"), source: 2, text: "epoch 1/10" });
    expect(parseLine("no time", 0)).toEqual({ time: 0, source: 0, text: "no time" });
    expect(parseLine("2026-01-01T00:00:00Z", 0).text).toBe("");
  });
  it("are cut when nobody could read them", () => {
    expect(parseLine("x".repeat(5000), 0).text).toHaveLength(4000 + " … (+1000)".length);
  });
  it("of several ranks are merged by time, and stay in order within a rank", () => {
    const merged = mergeLines([line(1, "a"), line(3, "c"), line(5, "e")], [line(4, "d", 1), line(4, "d2", 1), line(6, "f", 1)]);
    expect(merged.map((one) => one.text)).toEqual(["a", "c", "d", "d2", "e", "f"]);
  });
  it("show their first error", () => {
    expect(firstError([line(1, "loss: 0.1 error rate 3"), line(2, "Traceback (most recent call last):"), line(3, "ValueError: x")])).toBe(1);
    expect(firstError([line(1, "fine")])).toBe(-1);
  });
  it("are searched by a regular expression, without colours", () => {
    expect(search([line(1, "a\x1b[31mbc"), line(2, "x")], "AB")).toEqual([0]);
    expect(search([], "(")).toBeUndefined();
  });
});
