import { describe, expect, it } from "vitest";
import { lineOfPath, splitPath } from "./yamlLines";

const text = `# a comment
apiVersion: batch.tensorstack.dev/v1beta1
metadata:
  name: mnist   # line 3
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

describe("the line of a field", () => {
  it.each([
    ["metadata.name", 3], ["spec.replicaSpecs[0].type", 6], ["spec.replicaSpecs[0].replicas", 7],
    ["spec.replicaSpecs[0].template.spec.containers[1].command", 14], ["spec.replicaSpecs[1].replicas", 16], ["spec.runPolicy", 17],
  ])("%s", (path, line) => expect(lineOfPath(text, path)).toBe(line));
  it("that is missing is that of its parent", () => {
    expect(lineOfPath(text, "spec.replicaSpecs[0].template.metadata")).toBe(8);
    expect(lineOfPath(text, "spec.replicaSpecs[7]")).toBe(5);
    expect(lineOfPath("", "a.b")).toBe(0);
  });
  it("has paths with keys in brackets, too", () => {
    expect(splitPath("metadata.labels[a.b/c].x[2]")).toEqual(["metadata", "labels", "a.b/c", "x", 2]);
  });
});
