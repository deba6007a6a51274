// The order of a list, as its address has it: "created:desc".
import type { ObjectMeta } from "#types";

export type SortKey = "created" | "name" | "state";
export interface Sort {
  key: SortKey;
  descending: boolean;
}

/** Newest first where nothing else is said. */
export function parseSort(text: string): Sort {
  const [key, order] = text.split(":");
  const known = key === "name" || key === "state" || key === "created" ? key : "created";
  return { key: known, descending: text ? order === "desc" : true };
}

export const sortText = (sort: Sort) => `${sort.key}:${sort.descending ? "desc" : "asc"}`;

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Compares objects in this order, and by name where they are alike. */
export function comparator<T extends { metadata?: ObjectMeta }>(sort: Sort, stateOf: (object: T) => string): (a: T, b: T) => number {
  const sign = sort.descending ? -1 : 1;
  const nameOf = (object: T) => object.metadata?.name ?? "";
  const values = { created: (object: T) => object.metadata?.creationTimestamp ?? "", name: nameOf, state: stateOf };
  const value = values[sort.key];
  return (a, b) => sign * compare(value(a), value(b)) || compare(nameOf(a), nameOf(b));
}
