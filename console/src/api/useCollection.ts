// Live collections for components: watched while the component is shown.
import { useEffect, useMemo } from "preact/hooks";
import { watchCollection, type Collection, type KubernetesObject, type Selection } from "./collection";

export function useCollection<T extends KubernetesObject>(path: string, selection: Selection = {}): Collection<T> {
  const live = useMemo(() => watchCollection<T>(path, selection), [path, selection.labels, selection.fields]);
  useEffect(() => live.close, [live]);
  return live;
}

/** One object by its name; undefined until it arrives, and after it is gone. */
export function useObject<T extends KubernetesObject>(collection: string, name: string): { live: Collection<T>; object: T | undefined } {
  const live = useCollection<T>(collection, { fields: `metadata.name=${name}` });
  return { live, object: [...live.items.value.values()][0] };
}
