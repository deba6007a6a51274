import { expect, it } from "vitest";
import { parse } from "yaml";
import { editableText, withRevision } from "./editing";

const job = (status: unknown, revision: string) => ({
  apiVersion: "v1", kind: "Job", metadata: { name: "a", labels: { x: "1" }, uid: "u", resourceVersion: revision, generation: 1, managedFields: [] }, spec: { n: 1 }, status });

it("shows what a person may change", () => {
  expect(parse(editableText(job({ phase: "Running" }, "7")))).toEqual({ apiVersion: "v1", kind: "Job", metadata: { name: "a", labels: { x: "1" } }, spec: { n: 1 } });
});

it("is the same after a change of the status alone", () => {
  expect(editableText(job({ phase: "Running" }, "7"))).toBe(editableText(job({ phase: "Failed" }, "9")));
});

it("is sent with the revision it began from; a text that is not YAML is sent unchanged", () => {
  expect(parse(withRevision("metadata:\n  name: a # mine\n", "7"))).toEqual({ metadata: { name: "a", resourceVersion: "7" } });
  expect(withRevision("a: [", "7")).toBe("a: [");
});
