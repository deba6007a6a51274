import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { toYaml } from "../../lib/yaml";
import { env, mappings, splitWords, words } from "./codecs";
import { editText, readManifest, renameKey, valueAt, type Edit, type Manifest } from "./document";
import { addRole, editsOf, fieldsOf, isOn, isSection, onlyInYaml, rolesOf, type FieldSpec } from "./form";
import { beginning, formOf } from "./kinds";

const example = (path: string) => readFileSync(`../examples/${path}`, "utf8");
const read = (text: string) => {
  const { value, problem } = readManifest(text);
  if (!value) throw new Error(problem);
  return value;
};

function kindOf(manifest: Manifest) {
  const [group = "", version = ""] = String(manifest["apiVersion"]).split("/");
  return { group, version, kind: String(manifest["kind"]), plural: "" };
}

/** Fills an empty form, field by field, with what the same form shows of another manifest. */
function transcribe(source: Manifest): Manifest {
  const kind = kindOf(source);
  const form = formOf(kind);
  if (!form) throw new Error(`no form for ${kind.kind}`);
  let text = toYaml(beginning(kind));
  const apply = (edits: Edit[]) => (text = editText(text, edits));
  const copy = (there: FieldSpec[], here: FieldSpec[]) => there.forEach((one, index) => {
    const target = here[index];
    if (target) apply(editsOf(target, read(text), one.codec.read(valueAt(source, one.path)) ?? ""));
  });
  for (const item of form.general) {
    if (isSection(item) && isOn(source, item)) apply([[item.path, item.initial]]);
  }
  const roles = rolesOf(form, source);
  while (rolesOf(form, read(text)).length > roles.length) apply([[rolesOf(form, read(text))[roles.length]?.path ?? [], undefined]]);
  for (let count = rolesOf(form, read(text)).length; count < roles.length; count += 1) apply([addRole(form, read(text)) as Edit]);
  roles.forEach((role, index) => {
    const here = () => rolesOf(form, read(text))[index] as (typeof roles)[number];
    if (form.roles.keyed && here().name !== role.name) text = renameKey(text, here().path, role.name);
    for (const mount of role.mounts) apply(mount.source === "emptyDir" ? here().addMemory : here().addClaim);
    role.inits.forEach(() => apply(here().addInit));
  });
  copy(fieldsOf(form, source), fieldsOf(form, read(text)));
  return read(text);
}

// An empty list says what no list says.
const withoutEmptyLists = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, one: unknown) => (Array.isArray(one) && one.length === 0 ? undefined : one)));

describe("the form alone", () => {
  it.each([
    ["tutorial 000", "pytorchtrainingjob/ddp/job_cpu.yaml"], ["tutorial 000 on GPUs", "pytorchtrainingjob/ddp/job.yaml"],
    ["torchrun as the command", "pytorchtrainingjob/ddp/job_torchrun.yaml"], ["tutorial 001", "pytorchtrainingjob/ps/job_cpu.yaml"],
    ["tutorial 002", "mpijob/horovod-torch/job.yaml"], ["tutorial 003", "parallel-training/job.yaml"], ["tutorial 003 without GPUs", "parallel-training/job_cpu.yaml"],
    ["Kubeflow's PyTorchJob", "kubeflow/pytorchjob.yaml"], ["Kubeflow's TFJob", "kubeflow/tfjob.yaml"], ["Kubeflow's MPIJob", "kubeflow/mpijob.yaml"],
  ])("expresses %s", (_, path) => {
    const source = parse(example(path)) as Manifest;
    const form = formOf(kindOf(source));
    expect(form && onlyInYaml(form, source)).toEqual([]);
    expect(withoutEmptyLists(transcribe(source))).toEqual(withoutEmptyLists(source));
  });

  it("begins with roles that are complete but for what only the author knows", () => {
    const kind = { group: "batch.tensorstack.dev", version: "v1beta1", kind: "MPIJob", plural: "mpijobs" };
    expect(beginning(kind)["spec"]).toEqual({ replicaSpecs: [
      { type: "worker", replicas: 1, template: { spec: { containers: [{ name: "worker" }] } } }, { type: "launcher", replicas: 1, template: {} }] });
    expect(formOf({ group: "batch.tensorstack.dev", kind: "BeamJob" })).toBeUndefined();
  });
});

describe("an edit", () => {
  const job = example("parallel-training/job.yaml");
  const form = formOf({ group: "batch.tensorstack.dev", kind: "PyTorchTrainingJob" });
  const spec = (label: string) => fieldsOf(form!, read(job)).find((one) => one.label === label) as FieldSpec;

  it("changes its field and leaves comments and everything else as it was", () => {
    const edited = editText(job, editsOf(spec("create.replicas"), read(job), "2"));
    expect(edited).toBe(job.replace("replicas: 1 ", "replicas: 2 "));
    const longer = editText(job, editsOf(spec("create.env"), read(job), "A=1"));
    expect(longer.match(/#.*/g)).toEqual(job.match(/#.*/g));
    expect(valueAt(read(longer), [...spec("create.env").path, 0])).toEqual({ name: "A", value: "1" });
  });

  it("keeps what no form knows, and says that it is there", () => {
    const text = job.replace("spec:\n  tensorboardSpec:", "spec:\n  unknownField: {a: 1}\n  tensorboardSpec:");
    const edited = editText(text, editsOf(spec("create.name"), read(text), "other"));
    expect(valueAt(read(edited), ["spec", "unknownField"])).toEqual({ a: 1 });
    expect(onlyInYaml(form!, read(edited))).toEqual(["spec.unknownField.a"]);
  });

  it("of an emptied field takes out what it leaves empty, but not its section", () => {
    const text = editText(job, [[["spec", "runPolicy"], { backoffLimit: 3 }]]);
    const limit = fieldsOf(form!, read(text)).find((one) => one.label === "create.backoffLimit") as FieldSpec;
    expect(valueAt(read(editText(text, editsOf(limit, read(text), ""))), ["spec", "runPolicy"])).toEqual({});
    const edited = editText(job, [spec("create.cpuRequest"), spec("create.memoryRequest"), spec("create.gpuRequest")].flatMap((one) => editsOf(one, read(job), "")));
    expect(Object.keys(valueAt(read(edited), ["spec", "replicaSpecs", 0, "template", "spec", "containers", 0, "resources"]) as object)).toEqual(["limits"]);
  });

  it("of one role leaves another that shares its anchor alone", () => {
    const text = example("kubeflow/pytorchjob.yaml");
    const edited = read(editText(text, [[["spec", "pytorchReplicaSpecs", "Worker", "template", "spec", "containers", 0, "image"], "other"]]));
    expect(valueAt(edited, ["spec", "pytorchReplicaSpecs", "Worker", "template", "spec", "containers", 0, "image"])).toBe("other");
    expect(valueAt(edited, ["spec", "pytorchReplicaSpecs", "Master", "template", "spec", "containers", 0, "image"])).toBe("t9kpublic/pytorch-1.13.0:sdk-0.5.2");
  });

  it("is not possible in a text that is not a manifest, with the reason", () => {
    expect(readManifest("a: [1").problem).not.toBe("");
    expect(readManifest("- 1").problem).toBe("not a mapping");
    expect(readManifest("a: 1\n---\nb: 2\n").problem).not.toBe("");
    expect(readManifest("").value).toEqual({});
  });

  it("removes a volume with its last mount", () => {
    const [role] = rolesOf(form!, read(job));
    const edited = read(editText(job, role?.mounts[1]?.remove ?? []));
    expect(valueAt(edited, ["spec", "replicaSpecs", 0, "template", "spec", "volumes"])).toEqual([{ name: "data", persistentVolumeClaim: { claimName: "mnist" } }]);
  });
});

describe("a box of the form", () => {
  it("splits words like a shell, and quotes what it shows", () => {
    expect(splitWords(`python -c "print(\\"a b\\")" 'x y' z=1 a\\ b`)).toEqual(["python", "-c", 'print("a b")', "x y", "z=1", "a b"]);
    const value = ["sh", "-c", "echo \"a\\n\" 'b'\nexit 1", "--nnodes ", ""];
    expect(words.write(words.read(value) ?? "")).toEqual(value);
  });
  it("does not show what it could not write back", () => {
    expect(env.read([{ name: "A", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }])).toBeUndefined();
    expect(env.read([{ name: "A", value: "1\n2" }])).toBeUndefined();
    expect(env.write("A=1\nB=x=y")).toEqual([{ name: "A", value: "1" }, { name: "B", value: "x=y" }]);
  });
  it("has one rule per line", () => {
    const rules = [{ ps: [0], worker: [0, 1] }, { worker: [2] }];
    expect(mappings.read(rules)).toBe("ps: [0], worker: [0, 1]\nworker: [2]");
    expect(mappings.write(mappings.read(rules) ?? "")).toEqual(rules);
  });
});
