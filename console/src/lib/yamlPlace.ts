// Where in a YAML text a field is, and which field is at a place. The text may be wrong or half typed: its parser continues after mistakes.
import { isMap, isScalar, isSeq, LineCounter, parseDocument } from "yaml";

export type FieldPath = (string | number)[];

/** Longer texts are not read while one types, because the page would stand still meanwhile. */
export const longestText = 200_000;

/** Both from 1. */
export interface Place {
  line: number;
  column: number;
}

/** "spec.replicaSpecs[0].type" as ["spec", "replicaSpecs", 0, "type"]. */
export function splitPath(path: string): FieldPath {
  return [...path.matchAll(/\[(\d+)\]|\[([^\]]+)\]|([^.[\]]+)/g)].map((match) => (match[1] !== undefined ? Number(match[1]) : (match[2] ?? match[3] ?? "")));
}

const keyText = (key: unknown) => (isScalar(key) ? String(key.value) : "");
const startOf = (node: unknown) => (node as { range?: [number, number, number] } | null | undefined)?.range?.[0];

/** Says of fields where they are, or where the nearest part of their path is that is there. */
export function placesIn(text: string): (path: string) => Place {
  if (text.length > longestText) return () => ({ line: 1, column: 1 });
  const lines = new LineCounter();
  const doc = parseDocument(text, { lineCounter: lines });
  return (path) => {
    let node: unknown = doc.contents;
    let found = startOf(node) ?? 0;
    for (const part of splitPath(path)) {
      if (isSeq(node) && typeof part === "number") {
        node = node.items[part];
        found = startOf(node) ?? found;
      } else if (isMap(node)) {
        const pair = node.items.find((one) => keyText(one.key) === String(part));
        node = pair?.value;
        found = startOf(pair?.key) ?? found;
      } else {
        break;
      }
    }
    const at = lines.linePos(found);
    return { line: Math.max(1, at.line), column: Math.max(1, at.col) };
  };
}

export interface Found {
  path: FieldPath;
  /** On the name of the field, not on its value. */
  isKey: boolean;
}

function fieldAtNode(node: unknown, offset: number, path: FieldPath): Found | undefined {
  const covers = (one: unknown) => {
    const range = (one as { range?: [number, number, number] } | null)?.range;
    return range !== undefined && range[0] <= offset && offset <= range[1];
  };
  if (isMap(node)) {
    for (const pair of node.items) {
      const here = [...path, keyText(pair.key)];
      if (covers(pair.key)) return { path: here, isKey: true };
      if (covers(pair.value)) return fieldAtNode(pair.value, offset, here) ?? { path: here, isKey: false };
    }
  } else if (isSeq(node)) {
    for (const [index, item] of node.items.entries()) {
      if (covers(item)) return fieldAtNode(item, offset, [...path, index]) ?? { path: [...path, index], isKey: false };
    }
  }
  return undefined;
}

/** The field whose name or value is at the offset. */
export const fieldAt = (text: string, offset: number) => (text.length > longestText ? undefined : fieldAtNode(parseDocument(text).contents, offset, []));

/** The field whose name is being typed at the offset: the text is read as if the name were complete. */
export function fieldTypedAt(text: string, offset: number): Found | undefined {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const before = /^(\s*(?:- +)*)([\w./-]*)$/.exec(text.slice(start, offset));
  if (!before || !/^\s*(?:#.*)?$/.test(text.slice(offset).split("\n", 1)[0] ?? "")) return undefined;
  const name = before[2] || "x";
  const at = start + (before[1]?.length ?? 0);
  const found = fieldAt(`${text.slice(0, at)}${name}:${text.slice(offset)}`, at);
  return found?.isKey ? found : undefined;
}
