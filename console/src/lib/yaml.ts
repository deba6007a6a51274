// Writes a JSON value as YAML, for reading. The order of members stays as the server has it.

const plain = /^[A-Za-z_./][A-Za-z0-9_./@-]*$/;
const reserved = /^(?:true|false|null|yes|no|on|off|y|n|~)$/i;

function scalar(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value) ?? "null";
  return plain.test(value) && !reserved.test(value) ? value : JSON.stringify(value);
}

const isBlock = (value: unknown): value is object =>
  typeof value === "object" && value !== null && Object.keys(value).length > 0;

function empty(value: unknown): string {
  if (Array.isArray(value)) return "[]";
  return typeof value === "object" && value !== null ? "{}" : scalar(value);
}

function blockText(text: string, indent: string): string {
  const keep = text.endsWith("\n") ? "|" : "|-";
  return `${keep}\n${text.replace(/\n$/, "").split("\n").map((line) => (line ? `${indent}  ${line}` : "")).join("\n")}`;
}

function isLiteral(value: unknown): value is string {
  return typeof value === "string" && value.includes("\n") && !/[^\n\x20-\x7e\u00a0-\uffff]|^\s|[ \t]\n/.test(value) && !value.endsWith("\n\n");
}

function lines(value: object, indent: string): string[] {
  if (Array.isArray(value)) {
    return value.map((item) => {
      if (!isBlock(item)) return `${indent}- ${isLiteral(item) ? blockText(item, indent) : empty(item)}`;
      const [first = "", ...rest] = lines(item, `${indent}  `);
      return [`${indent}- ${first.slice(indent.length + 2)}`, ...rest].join("\n");
    });
  }
  return Object.entries(value).map(([key, item]) => {
    const name = `${indent}${scalar(key)}:`;
    if (isBlock(item)) return `${name}\n${lines(item, Array.isArray(item) ? indent : `${indent}  `).join("\n")}`;
    return `${name} ${isLiteral(item) ? blockText(item, indent) : empty(item)}`;
  });
}

export function toYaml(value: unknown): string {
  return `${isBlock(value) ? lines(value, "").join("\n") : empty(value)}\n`;
}
