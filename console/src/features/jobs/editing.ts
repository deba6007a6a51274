// A job's YAML while it is edited: what a person may change, and whether somebody else has changed it meanwhile. Pure.
import { toYaml } from "../../lib/yaml";
import { editText, readManifest } from "../create/document";

export interface Stored {
  metadata?: { resourceVersion?: string; [name: string]: unknown };
  status?: unknown;
}

const ofTheServer = ["managedFields", "resourceVersion", "uid", "generation", "creationTimestamp", "deletionTimestamp", "ownerReferences", "selfLink"];

/** Without what only the server writes; so a new status is not a change. */
export function editableText(object: Stored): string {
  const { status: _, metadata = {}, ...rest } = object;
  const { apiVersion, kind, ...spec } = rest as Record<string, unknown>;
  const kept = Object.fromEntries(Object.entries(metadata).filter(([name]) => !ofTheServer.includes(name)));
  return toYaml({ apiVersion, kind, metadata: kept, ...spec });
}

/** The text as it is sent: with the revision that it began from, so that nobody else's change is overwritten. */
export function withRevision(text: string, revision: string): string {
  return readManifest(text).value ? editText(text, [[["metadata", "resourceVersion"], revision]]) : text;
}
