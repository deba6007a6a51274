// Log lines of several ranks in the order of their times. Pure, apart from the buffer it owns.
import { stripAnsi } from "./ansi";

export interface LogLine {
  time: number;
  /** Which source it comes from. */
  source: number;
  text: string;
}

const withTime = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z) ?([^]*)$/;
const longest = 4000;  // characters of a line that are shown; the download has all of them

export function parseLine(text: string, source: number): LogLine {
  const match = withTime.exec(text);
  const rest = match?.[2] ?? text;
  return {
    time: match?.[1] ? Date.parse(match[1]) : 0,
    source,
    text: rest.length > longest ? `${rest.slice(0, longest)} … (+${rest.length - longest})` : rest,
  };
}

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

/** The indices of the lines that match; undefined for what is no regular expression. */
export function search(lines: LogLine[], pattern: string): number[] | undefined {
  if (!pattern) return [];
  let expression: RegExp;
  try {
    expression = new RegExp(pattern, "i");
  } catch {
    return undefined;
  }
  return lines.flatMap((line, index) => (expression.test(stripAnsi(line.text)) ? [index] : []));
}
