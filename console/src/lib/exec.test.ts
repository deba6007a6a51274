import { expect, it } from "vitest";
import { execPath, frame, parseEnd } from "./exec";

it("asks for a terminal in the container", () => {
  const url = new URL(execPath("team a", "p-0", "main", ["sh", "-c", "a b"]), "http://x");
  expect(url.pathname).toBe("/api/v1/namespaces/team%20a/pods/p-0/exec");
  expect(url.searchParams.getAll("command")).toEqual(["sh", "-c", "a b"]);
  expect(url.searchParams.get("tty")).toBe("true");
});

it("puts the channel before the bytes of a message", () => {
  expect([...frame(0, "é")]).toEqual([0, 0xc3, 0xa9]);
  expect(new TextDecoder().decode(frame(4, '{"Width":80}').subarray(1))).toBe('{"Width":80}');
});

it("reads how the program ended", () => {
  expect(parseEnd('{"status":"Success"}')).toEqual({ how: "exited", code: 0 });
  const failed = { status: "Failure", reason: "NonZeroExitCode", details: { causes: [{ reason: "ExitCode", message: "3" }] }, message: "command terminated with exit code 3" };
  expect(parseEnd(JSON.stringify(failed))).toEqual({ how: "exited", code: 3 });
  expect(parseEnd('{"status":"Failure","message":"no such program"}')).toEqual({ how: "refused", message: "no such program" });
});
