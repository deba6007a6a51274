// The manifest of a job as that of a new one, as muster rerun makes it: what its author wrote, without what the server and tools have added, and not paused.
import type { KubernetesObject } from "../../api/collection";

/** A job as the server keeps it. */
export interface StoredJob extends KubernetesObject {
  spec: unknown;
}

const stopAnnotation = "muster.dev/stop";

/** "mnist" gives "mnist-2", "mnist-2" gives "mnist-3". */
export function nextName(name: string): string {
  const match = /^(.*)-(\d+)$/.exec(name);
  const number = Number(match?.[2] ?? 0);
  return match && number >= 2 && number < 100_000 ? `${match[1]}-${number + 1}` : `${name}-2`;
}

type Tree = Record<string, unknown>;
const isTree = (value: unknown): value is Tree => typeof value === "object" && value !== null && !Array.isArray(value);

function without(tree: Tree, [first = "", ...rest]: string[]): Tree {
  const { [first]: inner, ...others } = tree;
  if (rest.length === 0 || !isTree(inner)) return rest.length === 0 ? others : tree;
  const left = without(inner, rest);
  return Object.keys(left).length > 0 ? { ...tree, [first]: left } : others;
}

export function freshCopy(job: StoredJob, name: string): Tree {
  const { labels, annotations = {} } = job.metadata ?? {};
  const kept = Object.entries(annotations).filter(([key]) => !key.startsWith("kubectl.kubernetes.io/") && key !== stopAnnotation);
  const paused = job.apiVersion.startsWith("kubeflow.org/") ? ["runPolicy", "suspend"] : ["runMode", "pause"];
  return {
    apiVersion: job.apiVersion,
    kind: job.kind,
    metadata: { name, ...(labels ? { labels } : {}), ...(kept.length > 0 ? { annotations: Object.fromEntries(kept) } : {}) },
    spec: without(job.spec as Tree, paused),
  };
}
