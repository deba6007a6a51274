import { describe, expect, it, vi } from "vitest";

vi.stubGlobal("sessionStorage", { getItem: () => "" });
const { cleanPath, fileUrl, isSafePath, joinPath, shownPath } = await import("./files");

const claim = { ns: "default", name: "mnist" };

describe("the address of a file", () => {
  it("keeps odd characters of names apart from those of addresses", () => {
    expect(fileUrl(claim, "a b/50%?#&.py")).toBe("/apis/muster.dev/v1/namespaces/default/persistentvolumeclaims/mnist/files/a%20b/50%25%3F%23%26.py");
    expect(fileUrl(claim, "数据")).toContain("/files/%E6%95%B0%E6%8D%AE");
  });
  it("has the bytes of a name that is not valid text", () => {
    expect(fileUrl(claim, "a/\0caf%E9.txt")).toContain("/files/a/caf%E9.txt");
    expect(shownPath("a/\0caf%E9.txt")).toBe("a/caf%E9.txt");
  });
  it("is shown as it is, whatever its characters would do to the page", () => {
    expect(shownPath("a\nb/\u202egpj.exe")).toBe("a\ufffdb/\ufffdgpj.exe");
  });
  it("ends with a slash for the volume itself", () => {
    expect(fileUrl(claim, "")).toBe("/apis/muster.dev/v1/namespaces/default/persistentvolumeclaims/mnist/files/");
  });
  it.each([".", "..", "a/../b", "../secrets", "a//b", "/etc/passwd", "a\0b", "\0..", "\0%2E%2E", "\0a/b", "\0caf%E9?x"])("is refused for %j", (path) => {
    expect(isSafePath(path)).toBe(false);
    expect(() => fileUrl(claim, path)).toThrow();
  });
  it.each(["...", ".hidden", "a..b", "%2e%2e"])("is made for %j", (path) => {
    expect(isSafePath(path)).toBe(true);
    expect(new URL(fileUrl(claim, path), "http://x").pathname).toBe(fileUrl(claim, path));
  });
});

it("joins and cleans paths", () => {
  expect(joinPath("", "a")).toBe("a");
  expect(joinPath("a/b", "c")).toBe("a/b/c");
  expect(cleanPath("/parallel-training/")).toBe("parallel-training");
});
