import type { Namespace } from "#types";
import { computed, signal } from "@preact/signals";
import { watchCollection, type Collection } from "../api/collection";

const watched = signal<Collection<Namespace> | undefined>(undefined);

export function startNamespaces(): () => void {
  const collection = watchCollection<Namespace>("/api/v1/namespaces", { members: ["apiVersion", "kind", "metadata.name", "metadata.resourceVersion"] });
  watched.value = collection;
  return () => collection.close();
}

/** The projects of people; those of the system are behind "all projects". */
export const namespaces = computed(() =>
  [...(watched.value?.items.value.values() ?? [])]
    .map((one) => one.metadata?.name ?? "")
    .filter((name) => name && !name.startsWith("kube-"))
    .sort(),
);
