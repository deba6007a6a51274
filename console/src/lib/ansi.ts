// Terminal colours in log lines. Text becomes spans with classes, never markup; every other escape is left out.

export interface Span {
  text: string;
  classes: string;
}

const colours = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
// Colour sequences (group 1), other control sequences, titles and links (OSC), and single control characters.
const escape = /\x1b\[([0-9;]*)m|\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b.?|[\x00-\x08\x0b-\x1f\x7f]/g;

interface Style {
  colour: string;
  bold: boolean;
}

function applyCodes(style: Style, codes: string): Style {
  let next = style;
  for (const code of (codes || "0").split(";").map(Number)) {
    if (code === 0) next = { colour: "", bold: false };
    else if (code === 1) next = { ...next, bold: true };
    else if (code === 22) next = { ...next, bold: false };
    else if (code === 39) next = { ...next, colour: "" };
    else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) next = { ...next, colour: colours[code % 10] ?? "" };
  }
  return next;
}

function classesOf(style: Style): string {
  return [style.colour && `ansi-${style.colour}`, style.bold && "ansi-bold"].filter(Boolean).join(" ");
}

export function parseAnsi(line: string): Span[] {
  const spans: Span[] = [];
  let style: Style = { colour: "", bold: false };
  let from = 0;
  const push = (text: string) => {
    if (text) spans.push({ text, classes: classesOf(style) });
  };
  for (const match of line.matchAll(escape)) {
    push(line.slice(from, match.index));
    from = match.index + match[0].length;
    if (match[1] !== undefined) style = applyCodes(style, match[1]);
  }
  push(line.slice(from));
  return spans;
}

export function stripAnsi(line: string): string {
  return line.replace(escape, "");
}
