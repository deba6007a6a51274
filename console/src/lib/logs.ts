// Log lines of several ranks in the order of their times. Pure, apart from the buffer it owns.
import { stripAnsi } from "./ansi";

export interface LogLine {
  time: number;
  /** Which source it comes from. */
  source: number;
  text: string;
  /** Names the line among those of its source: its time in full, and a number when several have the same. */
  id: string;
}

const withTime = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z) ?([^]*)$/;
const longest = 4000;  // characters of a line that are shown; the download has all of them

export function parseLine(text: string, source: number): LogLine {
  const match = withTime.exec(text);
  const rest = match?.[2] ?? text;
  return {
    time: match?.[1] ? Date.parse(match[1]) : 0,
    source,
    id: match?.[1] ?? "",
    text: rest.length > longest ? `${rest.slice(0, longest)} … (+${rest.length - longest})` : rest,
  };
}

/** Reads what a follower receives: whole lines, and what a line shows that is still written over, which ends in a carriage return. */
export function readLines(texts: string[], source: number): { lines: LogLine[]; state: LogLine | undefined } {
  const lines: LogLine[] = [];
  let state: LogLine | undefined;
  for (const text of texts) {
    const line = parseLine(text.replace(/\r$/, ""), source);
    // Whatever comes next takes the place of the state; the server repeats one that lasts.
    state = text.endsWith("\r") && line.text.trim() ? line : undefined;
    if (!text.endsWith("\r")) lines.push(line);
  }
  return { lines, state };
}

/** Gives lines of one source that have the same time different names. */
export function nameLines(lines: LogLine[], before: { time: string; count: number }): void {
  for (const line of lines) {
    before.count = line.id === before.time ? before.count + 1 : 0;
    before.time = line.id;
    if (before.count > 0) line.id = `${line.id}+${before.count}`;
  }
}

export interface LineLink {
  source: string;
  id: string;
}

/** "#Lworker-0@2026-11-17T10:01:22.104Z": the part of an address that names a line. */
export const hashOf = ({ source, id }: LineLink) => `#L${encodeURIComponent(source)}@${encodeURIComponent(id)}`;

export function linkIn(hash: string): LineLink | undefined {
  const match = /^#L([^@]*)@(\d{4}-[^@]+)$/.exec(hash);
  try {
    return match ? { source: decodeURIComponent(match[1] ?? ""), id: decodeURIComponent(match[2] ?? "") } : undefined;
  } catch {
    return undefined;
  }
}

/** The whole second in which a line was written, as the API's sinceTime wants it. */
export const secondOf = (id: string) => `${id.slice(0, 19)}Z`;

/** Puts new lines in their places. They are mostly the newest, so only the end is ever sorted. */
export function mergeLines(all: LogLine[], added: LogLine[]): LogLine[] {
  const earliest = added.reduce((least, line) => Math.min(least, line.time), Infinity);
  let from = all.length;
  while (from > 0 && (all[from - 1]?.time ?? 0) > earliest) from -= 1;
  const tail = [...all.slice(from), ...added];
  tail.sort((a, b) => a.time - b.time);
  return [...all.slice(0, from), ...tail];
}

const errorPattern = /\bTraceback \(most recent call last\)|\b[A-Z]\w*(?:Error|Exception)\b|\b(?:ERROR|FATAL|Segmentation fault|core dumped)\b/;

/** The index of the first line that looks like the cause of a failure; -1 when there is none. */
export const firstError = (lines: LogLine[]) => lines.findIndex((line) => errorPattern.test(line.text));

/** Whether an expression repeats what is itself repeated, such as (x+x+)+: on one unlucky line the browser would try for hours. */
export function repeatsRepetition(pattern: string): boolean {
  const repetition = "\0";  // stands for a part that was looked at
  let rest = pattern.replace(/\\./g, "a").replace(/\[[^\]]*\]/g, "a");
  for (;;) {
    const group = /\((?:\?<?[:=!])?([^()]*)\)([*+]|\{\d+,\d*\})?/.exec(rest);
    if (!group) return false;
    const [all, inside = "", repeated] = group;
    const repeats = /[*+\0]|\{\d+,\d*\}/.test(inside);
    if (repeats && repeated) return true;
    rest = rest.replace(all, () => (repeats || repeated ? repetition : "a"));
  }
}

/** The indices of the lines that match; undefined if the pattern is not a regular expression or may never end. */
export function search(lines: LogLine[], pattern: string): number[] | undefined {
  if (!pattern) return [];
  if (repeatsRepetition(pattern)) return undefined;
  let expression: RegExp;
  try {
    expression = new RegExp(pattern, "i");
  } catch {
    return undefined;
  }
  return lines.flatMap((line, index) => (expression.test(stripAnsi(line.text)) ? [index] : []));
}

const wide = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/;
const widths = new WeakMap<LogLine, number>();

/** How many columns of a terminal the line takes. */
function widthOf(line: LogLine): number {
  const known = widths.get(line);
  if (known !== undefined) return known;
  let width = 0;
  for (const character of stripAnsi(line.text)) width += character === "\t" ? 8 - (width % 8) : wide.test(character) ? 2 : 1;
  widths.set(line, width);
  return width;
}

/** On which row each line begins when lines are wrapped at that many columns; the last entry is the number of rows. */
export function rowStarts(lines: LogLine[], columns: number): Int32Array {
  const starts = new Int32Array(lines.length + 1);
  lines.forEach((line, index) => {
    starts[index + 1] = (starts[index] ?? 0) + Math.max(1, Math.ceil(widthOf(line) / Math.max(1, columns)));
  });
  return starts;
}

/** The last line that begins at or before the row. */
export function lineAtRow(starts: Int32Array, row: number): number {
  let low = 0;
  let high = Math.max(0, starts.length - 2);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= row) low = middle;
    else high = middle - 1;
  }
  return low;
}
