import { describe, expect, it } from "vitest";
import { firstError, hashOf, lineAtRow, linkIn, mergeLines, nameLines, parseLine, readLines, rowStarts, search, secondOf } from "./logs";

const line = (time: number, text: string, source = 0) => ({ time, text, source, id: "" });

describe("log lines", () => {
  it("begin with their time", () => {
    expect(parseLine("2026-01-01T00:00:00.5Z epoch 1/10", 2)).toEqual({ time: Date.parse("2026-01-01T00:00:00.500Z"), source: 2, id: "2026-01-01T00:00:00.5Z", text: "epoch 1/10" });
    expect(parseLine("no time", 0)).toEqual({ time: 0, source: 0, id: "", text: "no time" });
    expect(parseLine("2026-01-01T00:00:00Z", 0).text).toBe("");
  });
  it("are cut when nobody could read them", () => {
    expect(parseLine("x".repeat(5000), 0).text).toHaveLength(4000 + " … (+1000)".length);
  });
  it("that are written over are shown as they are now", () => {
    const time = "2026-01-01T00:00:00Z";
    const texts = (...all: string[]) => all.map((text) => `${time} ${text}`);
    const read = (all: string[]) => ({ lines: readLines(all, 0).lines.map((one) => one.text), state: readLines(all, 0).state?.text });
    expect(read(texts("10%\r", "50%\r"))).toEqual({ lines: [], state: "50%" });
    expect(read(texts("50%\r", "loss 0.3", "50%\r"))).toEqual({ lines: ["loss 0.3"], state: "50%" });
    expect(read(texts("50%\r", "100%"))).toEqual({ lines: ["100%"], state: undefined });
    expect(read(texts("50%\r", "   \r"))).toEqual({ lines: [], state: undefined });
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
  it("are not searched by an expression that may never end", () => {
    const lines = [line(1, "x".repeat(60))];
    for (const pattern of ["(x+x+)+y", "((x+)a?)*y", "(?:x*)+y", "(x{2,})+y", "((ab)+c)*d"]) expect(search(lines, pattern), pattern).toBeUndefined();
    for (const pattern of ["x+$", "(x|y)+$", "(x{60})", "[(x+)]+", "\\(?x+\\)?", "(loss|acc): [0-9.]+"]) expect(search(lines, pattern), pattern).toBeDefined();
  });
  it("have links, also when several have the same time", () => {
    const lines = ["T1", "T1", "T2"].map((id) => ({ ...line(1, "x"), id }));
    nameLines(lines, { time: "", count: 0 });
    expect(lines.map((one) => one.id)).toEqual(["T1", "T1+1", "T2"]);
    const link = { source: "worker-0", id: "2026-11-17T10:01:22.104Z+1" };
    expect(linkIn(hashOf(link))).toEqual(link);
    expect(secondOf(link.id)).toBe("2026-11-17T10:01:22Z");
    expect(["", "#login=1", "#L%@2026-", "#Lx"].map(linkIn)).toEqual([undefined, undefined, undefined, undefined]);
  });
  it("are wrapped at the width of the page", () => {
    const starts = rowStarts([line(1, "x".repeat(25)), line(2, ""), line(3, "\x1b[31m中文中文中\x1b[0m"), line(4, "\tab")], 10);
    expect([...starts]).toEqual([0, 3, 4, 5, 6]);
    expect([0, 2, 3, 4, 5, 99].map((row) => lineAtRow(starts, row))).toEqual([0, 0, 1, 2, 3, 3]);
    expect(lineAtRow(rowStarts([], 10), 5)).toBe(0);
  });
});
