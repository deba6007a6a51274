// Manifests go to the server as they were typed; what it says about them is shown at the lines it is about.
import { ApiError, send } from "../../api/client";
import { collectionPath, type JobKind } from "../../api/jobs";
import { lineOfPath } from "../../lib/yamlLines";

/** The kind that the text itself names; the chosen one while it names none that the server has. */
export function kindIn(text: string, kinds: JobKind[], chosen: JobKind): JobKind {
  const field = (name: string) => new RegExp(`^${name}:[ \\t]*["']?([^\\s"'#]+)`, "m").exec(text)?.[1];
  return kinds.find((kind) => kind.kind === field("kind") && `${kind.group}/${kind.version}` === field("apiVersion")) ?? chosen;
}

export async function createFromYaml(text: string, kind: JobKind, ns: string, dryRun: boolean): Promise<void> {
  const query = new URLSearchParams({ fieldValidation: "Strict", ...(dryRun ? { dryRun: "All" } : {}) });
  await send("POST", `${collectionPath(kind, ns)}?${query}`, text, "application/yaml");
}

export interface TextProblem {
  line: number;
  message: string;
}

/** A parser names the line itself; a schema names the field. */
export function problemsOf(error: ApiError, text: string): TextProblem[] {
  if (error.causes.length > 0) return error.causes.map((cause) => ({ line: lineOfPath(text, cause.field), message: `${cause.field}: ${cause.message}` }));
  const line = /\bline (\d+)/.exec(error.message)?.[1];
  const field = /(?:unknown field|strict decoding error:.*?)\s*"([^"]+)"/.exec(error.message)?.[1];
  if (line) return [{ line: Number(line) - 1, message: error.message }];
  return [{ line: field ? lineOfPath(text, field) : 0, message: error.message }];
}
