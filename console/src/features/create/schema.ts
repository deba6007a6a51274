// The part of the server's OpenAPI document that describes a field. Pure.
import type { FieldPath } from "../../lib/yamlPlace";

export interface Schema {
  $ref?: string;
  allOf?: Schema[];
  type?: string;
  description?: string;
  enum?: unknown[];
  default?: unknown;
  format?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  required?: string[];
  "x-kubernetes-group-version-kind"?: { group: string; version: string; kind: string }[];
}

export interface OpenApi {
  components: { schemas: Record<string, Schema> };
}

/** A schema with what it refers to; its own description goes before that of the type. */
function resolve(api: OpenApi, schema: Schema | undefined): Schema | undefined {
  if (!schema) return undefined;
  const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (!reference) return schema;
  const { $ref: _, allOf: __, ...own } = schema;
  return { ...resolve(api, api.components.schemas[reference.slice(reference.lastIndexOf("/") + 1)]), ...own };
}

export function schemaOfKind(api: OpenApi, kind: { group: string; version: string; kind: string }): Schema | undefined {
  return Object.values(api.components.schemas).find((one) =>
    one["x-kubernetes-group-version-kind"]?.some((name) => name.kind === kind.kind && name.group === kind.group && name.version === kind.version));
}

export function schemaAt(api: OpenApi, root: Schema | undefined, path: FieldPath): Schema | undefined {
  return path.reduce<Schema | undefined>((at, key) => {
    if (typeof key === "number") return resolve(api, at?.items);
    const more = typeof at?.additionalProperties === "object" ? at.additionalProperties : undefined;
    return resolve(api, at?.properties?.[key] ?? more);
  }, resolve(api, root));
}

/** "string, one of None, Unfinished, All". */
export function typeText(schema: Schema): string {
  const type = schema.type === "array" ? `${schema.items?.type ?? "object"}[]` : (schema.type ?? "");
  return [type, schema.enum ? schema.enum.filter((one) => one !== "").join(" | ") : "", schema.default === undefined ? "" : `= ${JSON.stringify(schema.default)}`].filter(Boolean).join(" ");
}

export interface Suggestion {
  label: string;
  detail: string;
  info: string;
}

/** The fields that an object may have and does not have yet. */
export function fieldsIn(api: OpenApi, root: Schema | undefined, path: FieldPath, taken: string[]): Suggestion[] {
  const parent = schemaAt(api, root, path);
  return Object.entries(parent?.properties ?? {}).filter(([name]) => !taken.includes(name)).map(([name, schema]) => {
    const full = resolve(api, schema) ?? schema;
    return { label: name, detail: typeText(full) + (parent?.required?.includes(name) ? " *" : ""), info: full.description ?? "" };
  });
}

export function valuesOf(schema: Schema | undefined): string[] {
  if (schema?.enum) return schema.enum.map(String).filter(Boolean);
  return schema?.type === "boolean" ? ["true", "false"] : [];
}
