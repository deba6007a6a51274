// Where in a YAML text a field is, for errors that name it by its path. Block style only, as people write manifests.

interface Line {
  number: number;
  indent: number;
  text: string;
}

/** Lines with content; the dashes of list items count as indentation of what follows them. */
function contentLines(text: string): Line[] {
  return text.split("\n").flatMap((line, number) => {
    const content = line.trimStart();
    return content && !content.startsWith("#") ? [{ number, indent: line.length - content.length, text: content }] : [];
  });
}

/** "spec.replicaSpecs[0].type" as ["spec", "replicaSpecs", 0, "type"]. */
export function splitPath(path: string): (string | number)[] {
  return [...path.matchAll(/\[(\d+)\]|\[([^\]]+)\]|([^.[\]]+)/g)].map((match) => (match[1] !== undefined ? Number(match[1]) : (match[2] ?? match[3] ?? "")));
}

const keyOfLine = (text: string) => /^(?:"([^"]*)"|'([^']*)'|([^\s#:][^:]*?))\s*:(?:\s|$)/.exec(text)?.slice(1).find((key) => key !== undefined);

/** The lines from `from` that belong to a block at least as deep as its first one. */
function blockFrom(lines: Line[], from: number, least: number): Line[] {
  const first = lines[from];
  if (!first || first.indent < least) return [];
  const end = lines.findIndex((line, index) => index > from && line.indent < first.indent);
  return lines.slice(from, end < 0 ? lines.length : end);
}

/** Steps into the list items of a block: each is a block of its own, with its dash replaced by spaces. */
function itemsOf(block: Line[]): Line[][] {
  const indent = block[0]?.indent ?? 0;
  const items: Line[][] = [];
  for (const line of block) {
    if (line.indent === indent && /^-(\s|$)/.test(line.text)) {
      const rest = line.text.slice(1).trimStart();
      items.push(rest ? [{ number: line.number, indent: indent + line.text.length - rest.length, text: rest }] : []);
    } else if (line.indent > indent) {
      items[items.length - 1]?.push(line);
    }
  }
  return items;
}

/** The line (from 0) of the field, or of the nearest part of its path that is there; 0 when nothing is. */
export function lineOfPath(text: string, path: string): number {
  let block = contentLines(text);
  let found = block[0]?.number ?? 0;
  for (const part of splitPath(path)) {
    if (typeof part === "number") {
      const item = itemsOf(block)[part];
      if (!item?.[0]) return found;
      found = item[0].number;
      block = item;
      continue;
    }
    const indent = block[0]?.indent ?? 0;
    const at = block.findIndex((line) => line.indent === indent && keyOfLine(line.text) === part);
    const line = block[at];
    if (!line) return found;
    found = line.number;
    // A list may stand at the same indentation as its key.
    const isList = /^-(\s|$)/.test(block[at + 1]?.text ?? "");
    const inner = blockFrom(block, at + 1, indent + (isList ? 0 : 1));
    const end = isList ? inner.findIndex((one) => one.indent === indent && !one.text.startsWith("-")) : -1;
    block = end < 0 ? inner : inner.slice(0, end);
  }
  return found;
}
