// The manifest is its text: the form reads values from it and writes them back into it, so comments and fields that no form knows stay.
import { isAlias, isCollection, isMap, isScalar, parseDocument, stringify, visit, type Document, type Node } from "yaml";
import { longestText } from "../../lib/yamlPlace";

export type Path = (string | number)[];
/** An undefined value takes the field out, and what is empty without it down to the first `keep` steps of the path. */
export type Edit = [path: Path, value: unknown, keep?: number];

export type Manifest = Record<string, unknown>;

/** The manifest of a text, or why there is none. */
export function readManifest(text: string): { value: Manifest; problem: "" } | { value: undefined; problem: string } {
  if (text.length > longestText) return { value: undefined, problem: "too long for a form" };
  const doc = parseDocument(text);
  const [error] = doc.errors;
  if (error) return { value: undefined, problem: error.message };
  try {
    const value: unknown = doc.toJS();
    if (value === null) return { value: {}, problem: "" };
    if (typeof value !== "object" || Array.isArray(value)) return { value: undefined, problem: "not a mapping" };
    return { value: value as Manifest, problem: "" };
  } catch (problem) {
    return { value: undefined, problem: String(problem) };
  }
}

export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, key) => (typeof at === "object" && at !== null ? (at as Record<string | number, unknown>)[key] : undefined), value);
}

/** Two places that share an anchor are edited apart, so each gets its own copy first; says whether there were any. */
function writeOutAliases(doc: Document): boolean {
  let found = false;
  visit(doc, {
    Alias: (_, alias) => {
      found = true;
      return alias.resolve(doc)?.clone() as Node | undefined;
    },
  });
  if (found) visit(doc, { Node: (_, node) => void (!isAlias(node) && delete node.anchor) });
  return found;
}

/** Makes a collection of everything on the way to the path, such as of "template: {}" or of nothing. */
function openWay(doc: Document, path: Path): void {
  path.forEach((key, depth) => {
    const at = path.slice(0, depth);
    const node = depth === 0 ? doc.contents : doc.getIn(at, true);
    if (!isCollection(node)) {
      const made = doc.createNode(typeof key === "number" ? [] : {});
      if (depth === 0) doc.contents = made;
      else doc.setIn(at, made);
    } else if (node.items.length === 0) {
      node.flow = false;
    }
  });
}

function takeOut(doc: Document, path: Path, keep: number): void {
  if (!doc.hasIn(path)) return;
  doc.deleteIn(path);
  const parent = path.slice(0, -1);
  const node = doc.getIn(parent, true);
  if (parent.length > keep && isCollection(node) && node.items.length === 0) takeOut(doc, parent, keep);
}

/** One word for another, with all that surrounds it as it was typed; undefined when the edit is of another kind. */
function replaceWord(text: string, doc: Document, edits: Edit[]): string | undefined {
  const [first, ...rest] = edits;
  if (!first || rest.length > 0 || typeof first[1] === "object" || first[1] === undefined) return undefined;
  const node = doc.getIn(first[0], true);
  const word = stringify(first[1], { lineWidth: 0 }).trimEnd();
  if (!isScalar(node) || !node.range || node.anchor || node.value === null || word.includes("\n")) return undefined;
  return text.slice(0, node.range[0]) + word + text.slice(node.range[1]);
}

/** The text after the edits. It must be one that readManifest can read. */
export function editText(text: string, edits: Edit[]): string {
  const doc = parseDocument(text) as Document;
  const replaced = writeOutAliases(doc) ? undefined : replaceWord(text, doc, edits);
  if (replaced !== undefined) return replaced;
  for (const [path, value, keep = 1] of edits) {
    if (value === undefined) {
      takeOut(doc, path, keep);
    } else {
      openWay(doc, path);
      doc.setIn(path, doc.createNode(value));
    }
  }
  return doc.toString({ lineWidth: 0 });
}

/** Renames the key of a mapping where it stands. */
export function renameKey(text: string, path: Path, name: string): string {
  const doc = parseDocument(text) as Document;
  writeOutAliases(doc);
  const map = doc.getIn(path.slice(0, -1), true);
  const old = path[path.length - 1];
  if (!isMap(map) || map.has(name)) return text;
  const pair = map.items.find((one) => String(one.key) === old);
  if (pair) pair.key = doc.createNode(name);
  return doc.toString({ lineWidth: 0 });
}
