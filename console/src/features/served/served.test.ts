import type { TensorBoard } from "#types";
import { expect, it, vi } from "vitest";

vi.stubGlobal("sessionStorage", { getItem: () => "" });
const { canOpen, causeOf, stateOf } = await import("./served");

const board = (phase: "Initializing" | "Running" | "Suspended" | "Failed", message: string): TensorBoard => ({
  apiVersion: "tensorstack.dev/v1beta1", kind: "TensorBoard", metadata: { name: "a" }, spec: {},
  status: { phase, conditions: [{ type: "Ready", status: phase === "Running" ? "True" : "False", message }] } });

it("starts until something is known", () => {
  expect(stateOf(undefined)).toBe("Starting");
  expect(stateOf(board("Suspended", ""))).toBe("Paused");
});

it("opens when it runs, or when it has stopped for want of visitors", () => {
  const idle = board("Suspended", "suspended because it had no visitors");
  idle.status?.conditions?.push({ type: "Idle", status: "True" });
  expect(canOpen(idle)).toBe(true);
  expect(canOpen(board("Running", ""))).toBe(true);
  for (const other of [undefined, board("Suspended", ""), board("Initializing", ""), board("Failed", "")]) expect(canOpen(other)).toBe(false);
});

it("says why it does not run, unless it was told not to", () => {
  expect(causeOf(board("Failed", "there is no tensorboard in this environment"))).toBe("there is no tensorboard in this environment");
  expect(causeOf(board("Initializing", "needs 1 GPU"))).toBe("needs 1 GPU");
  expect(causeOf(board("Suspended", "it has no pod"))).toBe("");
  expect(causeOf(board("Running", "TensorBoard is running"))).toBe("");
});
