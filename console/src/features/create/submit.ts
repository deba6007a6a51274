// Manifests go to the server as they were typed; what it says about them is shown at the places it is about.
import { send, type ApiError } from "../../api/client";
import { collectionPath, type JobKind } from "../../api/jobs";
import { placesIn } from "../../lib/yamlPlace";
import type { Problem } from "../../ui/Editor";

/** The kind that the text itself names, in its version; the chosen one while it names none that the server has. */
export function kindIn(text: string, kinds: JobKind[], chosen: JobKind): JobKind {
  const field = (name: string) => new RegExp(`^${name}:[ \\t]*["']?([^\\s"'#]+)`, "m").exec(text)?.[1] ?? "";
  const [group, version = ""] = field("apiVersion").split("/");
  const found = kinds.find((kind) => kind.kind === field("kind") && kind.group === group);
  return found && version ? { ...found, version } : chosen;
}

export function createFromYaml(text: string, kind: JobKind, ns: string, dryRun: boolean): Promise<Response> {
  const query = new URLSearchParams({ fieldValidation: "Strict", ...(dryRun ? { dryRun: "All" } : {}) });
  return send("POST", `${collectionPath(kind, ns)}?${query}`, text, "application/yaml");
}

/** What the server says about a text that it accepts, such as that a spelling is old: 299 - "the text". */
export const warningsIn = (header: string | null) =>
  [...(header ?? "").matchAll(/\b299 \S+ "((?:[^"\\]|\\.)*)"/g)].map((match) => (match[1] ?? "").replace(/\\(.)/g, "$1"));

export interface TextProblem extends Problem {
  /** The field it is about; "" when the text as a whole is meant. */
  field: string;
}

const mostProblems = 100;

/** A parser names the place itself; a schema names the field. */
export function problemsOf(error: ApiError, text: string): TextProblem[] {
  const placeOf = placesIn(text);
  const about = (field: string, message: string) => ({ ...placeOf(field), field, message });
  // "<nil>" is about no field: it says that there may be more mistakes than these.
  const causes = error.causes.filter((cause) => cause.field !== "<nil>").slice(0, mostProblems);
  if (causes.length > 0) return causes.map((cause) => about(cause.field, `${cause.field}: ${cause.message}`));
  const place = /\bline (\d+)(?:,? column (\d+))?/.exec(error.message);
  if (place) return [{ line: Number(place[1]), ...(place[2] ? { column: Number(place[2]) } : {}), field: "", message: error.message.replace(/^line \d+,? column \d+: /, "") }];
  return [about(/(?:unknown field|strict decoding error:.*?)\s*"([^"]+)"/.exec(error.message)?.[1] ?? "", error.message)];
}
