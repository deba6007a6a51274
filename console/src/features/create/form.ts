// A form is a description: which fields of a manifest it shows, and how. What it shows of a manifest is computed; it keeps nothing itself.
import type { Key } from "../../i18n";
import type { Codec } from "./codecs";
import * as codecs from "./codecs";
import { valueAt, type Edit, type Manifest, type Path } from "./document";

export interface FieldSpec {
  label: Key;
  path: Path;
  codec: Codec;
  help?: Key;
  required?: boolean;
  /** Several lines. */
  long?: boolean;
  /** Names of objects of this kind are suggested. */
  suggest?: "persistentvolumeclaims";
  /** The values to choose from. */
  options?: readonly string[];
  /** What must be there before this field can be; written when it is not. */
  needs?: Edit;
  /** How much of the path stays when the field is emptied. */
  keep: number;
}

/** Fields that are there together or not at all. */
export interface Section {
  label: Key;
  path: Path;
  /** What it begins with. */
  initial: Manifest;
  fields: FieldSpec[];
  /** Instead of a switch: what its absence and its presence are called. */
  choice?: [absent: Key, present: Key];
}

export interface RoleShape {
  path: Path;
  /** The roles are a mapping by name, not a list with a type each. */
  keyed: boolean;
  /** The roles that the kind has; empty if the author names them. */
  names: readonly string[];
  initial(name: string): Manifest;
  /** The name that the kind's main container has in a role. */
  container(role: string): string;
  restart(role: Path): FieldSpec[];
}

export interface JobForm {
  general: (FieldSpec | Section)[];
  roles: RoleShape;
}

export interface Mount {
  /** What the volume is, such as "persistentVolumeClaim". */
  source: string;
  volume: string;
  fields: FieldSpec[];
  remove: Edit[];
}

export interface Role {
  name: string;
  path: Path;
  fields: FieldSpec[];
  mounts: Mount[];
  addClaim: Edit[];
  addMemory: Edit[];
  inits: { path: Path; fields: FieldSpec[] }[];
  addInit: Edit[];
}

const listAt = (manifest: Manifest, path: Path): Manifest[] => {
  const found = valueAt(manifest, path);
  return Array.isArray(found) ? found.map((one: unknown) => (typeof one === "object" && one !== null ? (one as Manifest) : {})) : [];
};

export const at = (path: string): Path => path.split(".");

export function field(label: Key, path: Path, codec: Codec = codecs.text, more: Partial<FieldSpec> = {}): FieldSpec {
  return { label, path, codec, keep: 1, ...more };
}

export function section(label: Key, path: Path, initial: Manifest, fields: FieldSpec[], choice?: [Key, Key]): Section {
  return { label, path, initial, fields: fields.map((one) => ({ ...one, keep: path.length })), ...(choice ? { choice } : {}) };
}

export const isSection = (item: FieldSpec | Section): item is Section => "fields" in item;

export function isOn(manifest: Manifest, { path }: Section): boolean {
  const value = valueAt(manifest, path) as { enabled?: boolean } | undefined;
  return value !== undefined && value !== null && value.enabled !== false;
}

// ---- roles ----

function containerFields(container: Path, needs?: Edit): FieldSpec[] {
  const more = { keep: container.length, ...(needs ? { needs } : {}) };
  const resource = (label: Key, kind: "requests" | "limits", name: string, help?: Key) =>
    field(label, [...container, "resources", kind, name], codecs.number, { ...more, ...(help ? { help } : {}) });
  return [
    field("create.containerName", [...container, "name"], codecs.text, { ...more, required: true }),
    field("create.image", [...container, "image"], codecs.text, { ...more, required: true }),
    field("create.workingDir", [...container, "workingDir"], codecs.text, more),
    field("create.command", [...container, "command"], codecs.words, { ...more, long: true, help: "create.commandHelp" }),
    field("create.args", [...container, "args"], codecs.words, { ...more, long: true }),
    resource("create.cpuRequest", "requests", "cpu"),
    resource("create.cpuLimit", "limits", "cpu"),
    resource("create.memoryRequest", "requests", "memory", "create.memoryHelp"),
    resource("create.memoryLimit", "limits", "memory"),
    resource("create.gpus", "limits", "nvidia.com/gpu"),
    resource("create.gpuRequest", "requests", "nvidia.com/gpu"),
    field("create.env", [...container, "env"], codecs.env, { ...more, long: true, help: "create.envHelp" }),
  ];
}

function mountsOf(manifest: Manifest, pod: Path, container: Path): Mount[] {
  const volumes = listAt(manifest, [...pod, "volumes"]);
  const every = ["containers", "initContainers"].flatMap((kind) =>
    listAt(manifest, [...pod, kind]).flatMap((one) => (Array.isArray(one["volumeMounts"]) ? (one["volumeMounts"] as Manifest[]) : [])));
  return listAt(manifest, [...container, "volumeMounts"]).map((mount, index) => {
    const here = [...container, "volumeMounts", index];
    const number = volumes.findIndex((one) => one["name"] === mount["name"]);
    const there = [...pod, "volumes", number];
    const source = Object.keys(volumes[number] ?? {}).find((key) => key !== "name") ?? "";
    const isLast = every.filter((one) => one["name"] === mount["name"]).length < 2;
    const claim = field("create.claim", [...there, "persistentVolumeClaim", "claimName"], codecs.text, { required: true, suggest: "persistentvolumeclaims", keep: there.length + 1 });
    return {
      source,
      volume: String(mount["name"] ?? ""),
      fields: [
        ...(source === "persistentVolumeClaim" ? [claim] : []),
        field("create.mountPath", [...here, "mountPath"], codecs.text, { required: true, keep: here.length }),
        ...(source === "persistentVolumeClaim" ? [field("create.subPath", [...here, "subPath"], codecs.text, { keep: here.length })] : []),
      ],
      remove: [[here, undefined, container.length], ...(isLast && number >= 0 ? [[there, undefined, pod.length] as Edit] : [])],
    };
  });
}

/** A volume under a name that is free, and its mount. */
function addVolume(manifest: Manifest, pod: Path, container: Path, wanted: string, source: Manifest, mountPath: string): Edit[] {
  const volumes = listAt(manifest, [...pod, "volumes"]);
  const taken = volumes.map((one) => one["name"]);
  let name = wanted;
  for (let number = 2; taken.includes(name); number += 1) name = `${wanted}-${number}`;
  return [
    [[...container, "volumeMounts", listAt(manifest, [...container, "volumeMounts"]).length], { name, mountPath }],
    [[...pod, "volumes", volumes.length], { name, ...source }],
  ];
}

function roleAt(manifest: Manifest, shape: RoleShape, name: string, path: Path): Role {
  const pod = [...path, "template", "spec"];
  const containers = listAt(manifest, [...pod, "containers"]);
  const main = shape.container(name);
  const container = [...pod, "containers", Math.max(0, containers.findIndex((one) => one["name"] === main))];
  const needs: Edit = [[...container, "name"], main];
  const needName: Edit[] = valueAt(manifest, container) === undefined ? [needs] : [];
  const inits = listAt(manifest, [...pod, "initContainers"]);
  return {
    name,
    path,
    fields: [
      ...(shape.keyed ? [] : [field("create.roleName", [...path, "type"], codecs.text, { required: true, keep: path.length, ...(shape.names.length ? { options: shape.names } : {}) })]),
      field("create.replicas", [...path, "replicas"], codecs.number, { required: true, keep: path.length }),
      ...shape.restart(path),
      ...containerFields(container, needs),
      field("create.runAsUser", [...pod, "securityContext", "runAsUser"], codecs.number, { keep: pod.length, needs }),
    ],
    mounts: mountsOf(manifest, pod, container),
    addClaim: [...needName, ...addVolume(manifest, pod, container, "data", { persistentVolumeClaim: { claimName: "" } }, "")],
    addMemory: [...needName, ...addVolume(manifest, pod, container, "dshm", { emptyDir: { medium: "Memory" } }, "/dev/shm")],
    inits: inits.map((_, index) => {
      const init = [...pod, "initContainers", index];
      return { path: init, fields: containerFields(init) };
    }),
    addInit: [...needName, [[...pod, "initContainers", inits.length], { name: `init-${inits.length + 1}`, image: "" }]],
  };
}

export function rolesOf({ roles }: JobForm, manifest: Manifest): Role[] {
  const found = valueAt(manifest, roles.path);
  if (roles.keyed) {
    const names = typeof found === "object" && found !== null && !Array.isArray(found) ? Object.keys(found) : [];
    return names.map((name) => roleAt(manifest, roles, name, [...roles.path, name]));
  }
  return listAt(manifest, roles.path).map((one, index) => roleAt(manifest, roles, String(one["type"] ?? ""), [...roles.path, index]));
}

/** The edit that adds one more role, under a name that is free; undefined when the kind has no more. */
export function addRole(form: JobForm, manifest: Manifest): Edit | undefined {
  const taken = rolesOf(form, manifest).map((role) => role.name);
  const { names, keyed, path, initial } = form.roles;
  const name = names.length > 0 ? names.find((one) => !taken.includes(one)) : taken.includes("worker") ? `worker-${taken.length}` : "worker";
  if (name === undefined) return undefined;
  return [[...path, keyed ? name : taken.length], initial(name)];
}

// ---- what the form does with a manifest ----

/** The edits that put a typed text in its place. */
export function editsOf(spec: FieldSpec, manifest: Manifest, typed: string): Edit[] {
  const value = spec.codec.write(typed);
  const first: Edit[] = value !== undefined && spec.needs && valueAt(manifest, spec.needs[0]) === undefined ? [spec.needs] : [];
  return [...first, [spec.path, value, spec.keep]];
}

export function fieldsOf(form: JobForm, manifest: Manifest): FieldSpec[] {
  const general = form.general.flatMap((item) => (isSection(item) ? (isOn(manifest, item) ? item.fields : []) : [item]));
  const roles = rolesOf(form, manifest).flatMap((role) => [
    ...role.fields, ...role.mounts.flatMap((mount) => mount.fields), ...role.inits.flatMap((init) => init.fields)]);
  return [...general, ...roles];
}

function leavesOf(value: unknown, path: Path): Path[] {
  if (typeof value !== "object" || value === null) return [path];
  return Object.entries(value).flatMap(([key, one]) => leavesOf(one, [...path, Array.isArray(value) ? Number(key) : key]));
}

/** "spec.replicaSpecs[0].type", as the server writes it. */
export const pathText = (path: Path) =>
  path.map((key, index) => (typeof key === "number" ? `[${key}]` : /[./]/.test(key) ? `[${key}]` : index ? `.${key}` : key)).join("");

/** What the manifest says and the form does not show. */
export function onlyInYaml(form: JobForm, manifest: Manifest): string[] {
  const shown = [
    at("apiVersion"), at("kind"),
    ...form.general.filter(isSection).map((item) => [...item.path, "enabled"]),
    ...fieldsOf(form, manifest).filter((one) => one.codec.read(valueAt(manifest, one.path)) !== undefined).map((one) => one.path),
  ].map(pathText);
  // The names of volumes and what they are stand in the title of their row.
  const isTitle = (path: string) => /\.(?:volumes\[\d+\]|volumeMounts\[\d+\])\.(?:name|emptyDir\.medium)$/.test(path);
  const isShown = (path: string) => isTitle(path) || shown.some((one) => path === one || (path.startsWith(one) && /^[.[]/.test(path.slice(one.length))));
  return leavesOf(manifest, []).map(pathText).filter((path) => !isShown(path));
}
