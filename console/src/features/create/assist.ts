// Names, values and descriptions of fields while YAML is typed, from the server's own OpenAPI document.
import { autocompletion, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import type { Extension } from "@codemirror/state";
import { hoverTooltip } from "@codemirror/view";
import { getJson } from "../../api/client";
import { fieldAt, fieldTypedAt } from "../../lib/yamlPlace";
import { readManifest, valueAt } from "./document";
import { fieldsIn, schemaAt, schemaOfKind, typeText, valuesOf, type OpenApi } from "./schema";

const documents = new Map<string, Promise<OpenApi | undefined>>();

/** Without the document there are no suggestions; the next key asks for it again. */
function documentOf(group: string, version: string): Promise<OpenApi | undefined> {
  const path = `/openapi/v3/apis/${group}/${version}`;
  const asked = documents.get(path) ?? getJson<OpenApi>(path).catch(() => void documents.delete(path));
  documents.set(path, asked);
  return asked as Promise<OpenApi | undefined>;
}

async function schemaFor(text: string) {
  const group = /^apiVersion:[ \t]*["']?([^\s"'#/]+)\/([^\s"'#]+)/m.exec(text);
  const kind = /^kind:[ \t]*["']?([^\s"'#]+)/m.exec(text)?.[1];
  if (!group?.[1] || !group[2] || !kind) return undefined;
  const api = await documentOf(group[1], group[2]);
  return api && { api, root: schemaOfKind(api, { group: group[1], version: group[2], kind }) };
}

async function complete(context: CompletionContext): Promise<CompletionResult | null> {
  const text = context.state.doc.toString();
  const word = context.matchBefore(/[\w./-]*/);
  const from = word?.from ?? context.pos;
  if (from === context.pos && !context.explicit) return null;
  const found = await schemaFor(text);
  if (!found) return null;
  const typed = fieldTypedAt(text, context.pos);
  if (typed) {
    const parent = typed.path.slice(0, -1);
    const there = valueAt(readManifest(text).value, parent);
    const taken = typeof there === "object" && there !== null ? Object.keys(there) : [];
    const options = fieldsIn(found.api, found.root, parent, taken).map((one) => ({ ...one, apply: `${one.label}: `, type: "property" }));
    return { from, options, validFor: /^[\w./-]*$/ };
  }
  const value = fieldAt(text, from) ?? fieldAt(text, from - 1);
  const values = value && !value.isKey ? valuesOf(schemaAt(found.api, found.root, value.path)) : [];
  return values.length > 0 ? { from, options: values.map((label) => ({ label, type: "enum" })), validFor: /^[\w.-]*$/ } : null;
}

const hover = hoverTooltip(async (view, pos) => {
  const text = view.state.doc.toString();
  const field = fieldAt(text, pos);
  if (!field?.isKey) return null;
  const found = await schemaFor(text);
  const schema = found && schemaAt(found.api, found.root, field.path);
  if (!schema) return null;
  const word = view.state.wordAt(pos);
  return {
    pos: word?.from ?? pos,
    end: word?.to ?? pos,
    above: true,
    create: () => {
      const dom = document.createElement("div");
      dom.className = "cm-field-help";
      const type = dom.appendChild(document.createElement("code"));
      type.textContent = typeText(schema);
      dom.appendChild(document.createElement("p")).textContent = schema.description ?? "";
      return { dom };
    },
  };
});

export const fieldAssistance: Extension = [autocompletion({ override: [complete], icons: false }), hover];
