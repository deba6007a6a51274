import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { fieldsIn, schemaAt, schemaOfKind, valuesOf, type OpenApi, type Schema } from "./schema";

// The definition that the server is generated from; an OpenAPI document refers to parts of it by name.
interface Definition {
  spec: { versions: { schema: { openAPIV3Schema: Schema } }[] };
}
const definition = parse(readFileSync("../deploy/crds/pytorchtrainingjobs.batch.tensorstack.dev.yaml", "utf8")) as Definition;
const kind = { group: "batch.tensorstack.dev", version: "v1beta1", kind: "PyTorchTrainingJob" };
const job = definition.spec.versions[0]?.schema.openAPIV3Schema as Schema;
const api: OpenApi = {
  components: {
    schemas: {
      Job: { ...job, properties: { ...job.properties, spec: { description: "own words", allOf: [{ $ref: "#/components/schemas/Spec" }] } }, "x-kubernetes-group-version-kind": [kind] },
      Spec: job.properties?.["spec"] ?? {},
    },
  },
};

describe("the schema of a field", () => {
  const root = schemaOfKind(api, kind);
  it("is found through references, lists and mappings", () => {
    expect(schemaAt(api, root, ["spec"])?.description).toBe("own words");
    expect(valuesOf(schemaAt(api, root, ["spec", "runPolicy", "cleanUpPolicy"]))).toEqual(["None", "Unfinished", "All"]);
    expect(valuesOf(schemaAt(api, root, ["spec", "torchrunConfig", "enabled"]))).toEqual(["true", "false"]);
    expect(schemaAt(api, root, ["spec", "replicaSpecs", 0, "template", "spec", "containers", 0, "image"])?.type).toBe("string");
    expect(schemaAt(api, root, ["spec", "noSuchField", "x"])).toBeUndefined();
  });
  it("suggests the fields that are not there yet", () => {
    const labels = fieldsIn(api, root, ["spec", "replicaSpecs", 0], ["type"]).map((one) => one.label);
    expect(labels).toContain("replicas");
    expect(labels).not.toContain("type");
    expect(fieldsIn(api, root, ["spec"], []).find((one) => one.label === "torchrunConfig")?.info).not.toBe("");
  });
});
