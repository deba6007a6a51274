// Who uses claims: the pods of the project, as little of them as is needed.
import type { Pod } from "#types";
import { corePath } from "../../api/paths";
import { useCollection } from "../../api/useCollection";

const members = ["apiVersion", "kind", "metadata.name", "metadata.namespace", "metadata.resourceVersion", "spec.volumes", "status.phase"];

/** "" is every project. */
export function useMountingPods(ns: string): Iterable<Pod> {
  return useCollection<Pod>(corePath("pods", ns), { members }).items.value.values();
}
