import { describe, expect, it } from "vitest";
import { fieldAt, fieldTypedAt, longestText, placesIn, splitPath } from "./yamlPlace";

const placeOf = (of: string, path: string) => placesIn(of)(path);
const text = `# a comment
apiVersion: batch.tensorstack.dev/v1beta1
metadata:
  name: mnist   # line 4
spec:
  replicaSpecs:
    - type: node
      replicas: 1
      template:
        spec:
          containers:
          - name: a

          - image: b
            command: [sh]
    - type: worker
      "replicas": 2
  runPolicy: {}
`;

describe("the place of a field", () => {
  it("in a text that would take long to read is its beginning", () => {
    expect(placeOf(`${text}${"x: 1\n".repeat(longestText / 5)}`, "spec.runPolicy")).toEqual({ line: 1, column: 1 });
  });
  it.each([
    ["metadata.name", 4, 3], ["spec.replicaSpecs[0].type", 7, 7], ["spec.replicaSpecs[0].replicas", 8, 7],
    ["spec.replicaSpecs[0].template.spec.containers[1].command", 15, 13], ["spec.replicaSpecs[1].replicas", 17, 7], ["spec.runPolicy", 18, 3],
  ])("%s", (path, line, column) => expect(placeOf(text, path)).toEqual({ line, column }));
  it("that is missing is that of its parent", () => {
    expect(placeOf(text, "spec.replicaSpecs[0].template.metadata").line).toBe(9);
    expect(placeOf(text, "spec.replicaSpecs[7]").line).toBe(6);
    expect(placeOf("", "a.b")).toEqual({ line: 1, column: 1 });
  });
  it("also has paths with keys in brackets", () => {
    expect(splitPath("metadata.labels[a.b/c].x[2]")).toEqual(["metadata", "labels", "a.b/c", "x", 2]);
  });
});

describe("the field at a place", () => {
  const here = (marked: string) => [marked.replace("|", ""), marked.indexOf("|")] as const;
  it("is found by its name and by its value", () => {
    expect(fieldAt(text, text.indexOf("replicas: 1"))).toEqual({ path: ["spec", "replicaSpecs", 0, "replicas"], isKey: true });
    expect(fieldAt(text, text.indexOf("worker"))).toEqual({ path: ["spec", "replicaSpecs", 1, "type"], isKey: false });
  });
  it.each([
    ["a:\n  b: 1\n  |\n", ["a", "x"]], ["a:\n  b: 1\n  cd|\n", ["a", "cd"]], ["a:\n  |\n", ["a", "x"]], ["a:\n- b: 1\n- |\n", ["a", 1, "x"]], ["a:\n- b: 1\n  c|\nd: 1\n", ["a", 0, "c"]], ["|", ["x"]],
  ])("is known while its name is typed: %j", (marked, path) => expect(fieldTypedAt(...here(marked))?.path).toEqual(path));
  it("is none where a value is typed, or in the middle of a line", () => {
    expect(fieldTypedAt(...here("a: b|"))).toBeUndefined();
    expect(fieldTypedAt(...here("a|b: c"))).toBeUndefined();
  });
});
