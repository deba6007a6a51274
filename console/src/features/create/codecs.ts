// How the value of a field is written in one box of the form, and read back. Pure.
import { parse, stringify } from "yaml";

export interface Codec {
  /** The text for a value; undefined when this box cannot show it. Nothing is "". */
  read(value: unknown): string | undefined;
  /** The value of a text; undefined leaves the field out. */
  write(text: string): unknown;
}

const isList = (value: unknown): value is unknown[] => Array.isArray(value);
const isMapping = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);
const isPlain = (value: unknown) => typeof value === "string" || typeof value === "number" || typeof value === "boolean";
const linesOf = (text: string) => text.split("\n").map((line) => line.trim()).filter(Boolean);
const unlessEmpty = <T extends object>(value: T) => (Object.keys(value).length > 0 ? value : undefined);

/** One line per item; nothing when an item has no line, or more than one. */
function joined(lines: (string | undefined)[]): string | undefined {
  return lines.every((line) => line !== undefined && !line.includes("\n")) ? lines.join("\n") : undefined;
}

export const text: Codec = {
  read: (value) => (value === undefined || value === null ? "" : isPlain(value) ? String(value) : undefined),
  write: (typed) => typed || undefined,
};

/** Text that is not a number is kept, so that the server can say what is wrong with it. */
export const number: Codec = { read: text.read, write: (typed) => (/^-?\d+$/.test(typed.trim()) ? Number(typed) : typed || undefined) };

export const flag: Codec = {
  read: (value) => (value === undefined ? "" : typeof value === "boolean" ? (value ? "true" : "") : undefined),
  write: (typed) => (typed ? true : undefined),
};

/** Words as a shell would see them, without its expansions. */
export function splitWords(typed: string): string[] {
  return [...typed.matchAll(/(?:[^\s"'\\]|\\[^]|"(?:\\[^]|[^"\\])*"|'[^']*'|["'\\])+/g)].map((match) =>
    match[0].replace(/"((?:\\[^]|[^"\\])*)"|'([^']*)'|\\([^])/g, (_, double?: string, single?: string, escaped?: string) =>
      escaped ?? single ?? (double ?? "").replace(/\\([^])/g, "$1")));
}

export const quoteWord = (word: string) => (/^[^\s"'\\]+$/.test(word) ? word : `"${word.replace(/["\\]/g, "\\$&")}"`);

export const words: Codec = {
  read: (value) => (value === undefined ? "" : isList(value) && value.every(isPlain) ? value.map((word) => quoteWord(String(word))).join(" ") : undefined),
  write: (typed) => unlessEmpty(splitWords(typed)),
};

export const lines: Codec = {
  read: (value) => (value === undefined ? "" : isList(value) && value.every(isPlain) ? joined(value.map(String)) : undefined),
  write: (typed) => unlessEmpty(linesOf(typed)),
};

const assignment = (line: string): [string, string] => {
  const at = line.indexOf("=");
  return at < 0 ? [line, ""] : [line.slice(0, at), line.slice(at + 1)];
};

/** NAME=value lines as a mapping. */
export const pairs: Codec = {
  read: (value) => {
    if (value === undefined) return "";
    return isMapping(value) && Object.values(value).every(isPlain) ? joined(Object.entries(value).map(([key, one]) => `${key}=${String(one)}`)) : undefined;
  },
  write: (typed) => unlessEmpty(Object.fromEntries(linesOf(typed).map(assignment))),
};

/** NAME=value lines as environment variables; one that comes from elsewhere has no line. */
export const env: Codec = {
  read: (value) => {
    if (value === undefined) return "";
    if (!isList(value)) return undefined;
    return joined(value.map((one) => (isMapping(one) && one["valueFrom"] === undefined ? `${String(one["name"])}=${String(one["value"] ?? "")}` : undefined)));
  },
  write: (typed) => unlessEmpty(linesOf(typed).map(assignment).map(([name, value]) => ({ name, value }))),
};

/** claim:folder lines as the sources of a TensorBoard. */
export const logFolders: Codec = {
  read: (value) => {
    if (value === undefined) return "";
    if (!isList(value) || !value.every(isMapping)) return undefined;
    return joined(value.flatMap((one) => (isList(one["subPath"]) ? one["subPath"].map((folder) => `${String(one["name"])}:${String(folder)}`) : [undefined])));
  },
  write: (typed) => {
    const claims = new Map<string, string[]>();
    for (const line of linesOf(typed)) {
      const [claim = "", ...folder] = line.split(":");
      claims.set(claim, [...(claims.get(claim) ?? []), folder.join(":")]);
    }
    return unlessEmpty([...claims].map(([name, subPath]) => ({ name, subPath })));
  },
};

/** One mapping per line, as YAML writes it in one line: "worker: [0, 1]". */
export const mappings: Codec = {
  read: (value) => {
    if (value === undefined) return "";
    if (!isList(value) || !value.every(isMapping)) return undefined;
    return joined(value.map((one) => stringify(one, { collectionStyle: "flow", lineWidth: 0, flowCollectionPadding: false }).trim().replace(/^\{|\}$/g, "")));
  },
  write: (typed) =>
    unlessEmpty(linesOf(typed).map((line): unknown => {
      try {
        return parse(`{${line}}`);
      } catch {
        return line;
      }
    })),
};
