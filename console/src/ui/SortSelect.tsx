import { t, type Key } from "../i18n";
import { setQuery } from "../lib/router";
import { parseSort, sortText, type Sort } from "../lib/sort";
import { Select } from "./Select";

export const sortLabel = (sort: Sort) => `${t(`sort.${sort.key}` as Key)} ${t(sort.descending ? "sort.descending" : "sort.ascending")}`;

const orders = ["created:desc", "created:asc", "name:asc", "name:desc", "state:asc"];

/** The order of a list; the usual one is not in the address. */
export function SortSelect({ sort }: { sort: Sort }) {
  return (
    <Select label={t("jobs.sort")} value={sortText(sort)} onChange={(value) => setQuery({ sort: value === orders[0] ? "" : value })}
      options={orders.map((value) => ({ value, label: sortLabel(parseSort(value)) }))} />
  );
}
