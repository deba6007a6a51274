// The values of Secrets and ConfigMaps as people edit them. Pure.
import type { ConfigMap, Secret } from "#types";

export interface Entry {
  key: string;
  /** undefined for binary values. */
  text: string | undefined;
  /** A binary value as the server has it. */
  base64: string;
  /** Not on the server yet: its key can be written, and its value is not hidden. */
  isNew: boolean;
}

export type Config = Secret | ConfigMap;
export type Plural = "secrets" | "configmaps";
export const newEntry: Entry = { key: "", text: "", base64: "", isNew: true };

const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
const controls = /[\x00-\x08\x0b\x0c\x0e-\x1f]/;

/** Text of UTF-8 bytes; undefined for what is none. */
export function decodeText(base64: string): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytesOf(base64));
    return controls.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

export function encodeText(text: string): string {
  let binary = "";
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}

export const sizeOf = (entry: Entry) => (entry.text === undefined ? bytesOf(entry.base64).length : new TextEncoder().encode(entry.text).length);
export const blobOf = (entry: Entry) => new Blob([entry.text ?? bytesOf(entry.base64)]);

const byKey = (a: Entry, b: Entry) => (a.key < b.key ? -1 : 1);

export function entriesOf(object: Config): Entry[] {
  const encoded = Object.entries((object.kind === "Secret" ? object.data : object.binaryData) ?? {}).map(([key, base64]) => ({ key, text: decodeText(base64), base64, isNew: false }));
  const plain = Object.entries((object.kind === "Secret" ? {} : object.data) ?? {}).map(([key, text]) => ({ key, text, base64: "", isNew: false }));
  return [...encoded, ...plain].sort(byKey);
}

const record = (entries: Entry[], value: (entry: Entry) => string) => Object.fromEntries(entries.map((entry) => [entry.key, value(entry)]));

/** The object with these values in place of its own. */
export function withEntries<T extends Config>(object: T, entries: Entry[]): T {
  if (object.kind === "Secret") return { ...object, data: record(entries, (entry) => (entry.text === undefined ? entry.base64 : encodeText(entry.text))) };
  return {
    ...object,
    data: record(entries.filter((entry) => entry.text !== undefined), (entry) => entry.text ?? ""),
    binaryData: record(entries.filter((entry) => entry.text === undefined), (entry) => entry.base64),
  };
}

/** A key that stands there twice would lose one of its values. */
export const repeatedKey = (entries: Entry[]) => entries.find((entry, index) => entries.findIndex((one) => one.key === entry.key) !== index)?.key;
