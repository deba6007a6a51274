import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { parseAnsi, stripAnsi } from "./ansi";
import { formatAmount, formatBytes, formatCpu, formatFileSize, parseQuantity } from "./quantity";
import { formatAge, formatDuration } from "./time";
import { toYaml } from "./yaml";

describe("quantities", () => {
  it.each([["16", 16], ["100m", 0.1], ["8Gi", 8 * 2 ** 30], ["1.5k", 1500], ["2e3", 2000], [4, 4]])("reads %s", (text, value) => {
    expect(parseQuantity(text)).toBeCloseTo(value);
  });
  it.each(["", "x", "1Zi", undefined])("refuses %s", (text) => expect(parseQuantity(text)).toBeUndefined());
  it("writes each resource in its unit", () => {
    expect([formatAmount("cpu", "1500m"), formatAmount("memory", "1Gi"), formatAmount("nvidia.com/gpu", 2), formatAmount("cpu", undefined)]).toEqual(["1.50", "1.00Gi", "2", "-"]);
  });
  it("writes what the tutorials show", () => {
    expect([formatCpu(16), formatCpu(0.1), formatCpu(undefined), formatCpu(0)]).toEqual(["16.00", "100.00m", "-", "0.00"]);
    expect([formatBytes(8 * 2 ** 30), formatBytes(100 * 2 ** 20), formatBytes(undefined)]).toEqual(["8.00Gi", "100.00Mi", "-"]);
    expect([formatFileSize(48), formatFileSize(5_000_000)]).toEqual(["48 B", "4.77MiB"]);
  });
});

describe("times", () => {
  it("shows the two largest units of a duration", () => {
    expect([45e3, 134e3, 11100e3, 187200e3].map(formatDuration)).toEqual(["45 s", "2 m 14 s", "3 h 5 m", "2 d 4 h"]);
  });
  it("shows one unit of an age", () => {
    expect(formatAge("2026-01-01T00:00:00Z", Date.parse("2026-01-01T00:02:14Z"))).toBe("2 m");
    expect(formatAge(undefined, 0)).toBe("-");
  });
});

describe("terminal escapes", () => {
  it("become classes", () => {
    expect(parseAnsi("a\x1b[1;31mb\x1b[0mc")).toEqual([
      { text: "a", classes: "" }, { text: "b", classes: "ansi-red ansi-bold" }, { text: "c", classes: "" }]);
  });
  it("that do more than colours are left out", () => {
    expect(stripAnsi("\x1b[2J\x1b]0;title\x07x\x1b]8;;http://evil\x1b\\y\x07\x1bcz")).toBe("xyz");
  });
  it("leave markup as text", () => {
    expect(parseAnsi("<script>1</script>")).toEqual([{ text: "<script>1</script>", classes: "" }]);
  });
});

describe("YAML", () => {
  const samples: unknown[] = [
    {}, [], "x", { a: [], b: {}, c: null, d: true, e: 1.5 },
    { text: "a\nb\n", last: "a\nb", odd: " x\n y", colon: "a: b", number: "16", yes: "yes", tab: "a\tb\nc" },
    { list: [{ name: "a", env: [{ name: "X", value: "1" }] }, [1, [2]], "plain", "two\nlines"] },
    { "key with space": 1, "": 2, "名称": "训练" },
  ];
  it.each(samples.map((sample) => [JSON.stringify(sample), sample]))("of %s reads back as the same", (_, sample) => {
    expect(parse(toYaml(sample))).toEqual(sample);
  });
});
