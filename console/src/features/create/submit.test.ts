import { describe, expect, it, vi } from "vitest";

vi.stubGlobal("sessionStorage", { getItem: () => "" });
const { kindIn, problemsOf, warningsIn } = await import("./submit");
const { ApiError } = await import("../../api/client");

const kinds = ["v1beta1 batch.tensorstack.dev MPIJob mpijobs", "v1 kubeflow.org MPIJob mpijobs"].map((text) => {
  const [version = "", group = "", kind = "", plural = ""] = text.split(" ");
  return { version, group, kind, plural };
});
const chosen = kinds[0]!;

describe("a manifest that is sent", () => {
  it("goes to the kind and version that it names itself", () => {
    expect(kindIn("apiVersion: kubeflow.org/v2beta1\nkind: MPIJob # Kubeflow's\n", kinds, chosen)).toEqual({ ...kinds[1], version: "v2beta1" });
    expect(kindIn("apiVersion: example.org/v1\nkind: MPIJob\n", kinds, chosen)).toBe(chosen);
    expect(kindIn("", kinds, chosen)).toBe(chosen);
  });
  it("has problems at the places that the server means", () => {
    const text = "metadata:\n  name: A\nspec:\n  x: 1\n";
    const error = (message: string, field?: string) => new ApiError({ message, ...(field ? { details: { causes: [{ field, message: "wrong" }] } } : {}) });
    expect(problemsOf(error("invalid", "metadata.name"), text)).toEqual([{ line: 2, column: 3, field: "metadata.name", message: "metadata.name: wrong" }]);
    expect(problemsOf(error("yaml: line 4: found a tab"), text)).toEqual([{ line: 4, field: "", message: "yaml: line 4: found a tab" }]);
    expect(problemsOf(error('strict decoding error: unknown field "spec.x"'), text)[0]).toMatchObject({ line: 4, column: 3, field: "spec.x" });
  });
  it("has its place said once, and no problem that is about nothing, and not thousands", () => {
    const problem = (details: object, message = "invalid") => problemsOf(new ApiError({ message, details }), "a: 1\nb: 2\n");
    expect(problem({}, "line 2, column 3: indented with a tab")).toEqual([{ line: 2, column: 3, field: "", message: "indented with a tab" }]);
    expect(problem({ causes: [{ field: "b", message: "wrong" }, { field: "<nil>", message: "there may be more" }] })).toEqual([{ line: 2, column: 1, field: "b", message: "b: wrong" }]);
    expect(problem({ causes: Array.from({ length: 5000 }, (_, at) => ({ field: `a[${at}]`, message: "wrong" })) })).toHaveLength(100);
  });
  it("has the server's warnings", () => {
    expect(warningsIn('299 - "spec.a: is old", 299 - "use \\"b\\""')).toEqual(["spec.a: is old", 'use "b"']);
    expect(warningsIn(null)).toEqual([]);
  });
});
