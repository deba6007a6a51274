// The list of a kind: title, search, filters and a live table, with its empty, loading and failed states.
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import type { Collection, KubernetesObject } from "../api/collection";
import { t } from "../i18n";
import { place, setQuery } from "../lib/router";
import { formatAge, formatTime, zoneName } from "../lib/time";
import { IconButton } from "./Button";
import { now } from "./clock";
import { ColumnChooser, hiddenColumns } from "./ColumnChooser";
import { Failure } from "./Failure";
import { Table, type Column } from "./Table";

interface ObjectListProps<T extends KubernetesObject> {
  title: string;
  live: Collection<T>;
  columns: Column<T>[];
  /** What would be here, and how to make it. */
  empty: ComponentChildren;
  /** Selects and buttons next to the search. */
  filters?: ComponentChildren;
  /** Buttons at the right of the title. */
  actions?: ComponentChildren;
  matches?: (object: T) => boolean;
  /** Newest first when left out. */
  compare?: (a: T, b: T) => number;
  /** Keys of columns with commas between them; where it is given, columns can be chosen. */
  hiddenByDefault?: string;
  /** Makes what is shown of all there is, such as one of several alike. */
  arrange?: (objects: T[]) => T[];
  noteOf?: (object: T) => string;
  onOpen?: (object: T) => void;
}

const byNewest = (a: KubernetesObject, b: KubernetesObject) =>
  (b.metadata?.creationTimestamp ?? "").localeCompare(a.metadata?.creationTimestamp ?? "") || (a.metadata?.name ?? "").localeCompare(b.metadata?.name ?? "");

const noteless = () => "";

export function ObjectList<T extends KubernetesObject>(props: ObjectListProps<T>) {
  const { title, live, columns, empty, filters, actions, matches, compare = byNewest, noteOf = noteless, onOpen, arrange, hiddenByDefault } = props;
  const search = (place.value.query.get("q") ?? "").toLowerCase();
  const all = live.items.value;
  const shown = useMemo(
    () => (arrange ? arrange([...all.values()]) : [...all.values()]).filter((one) => (one.metadata?.name ?? "").toLowerCase().includes(search) && (!matches || matches(one))).sort(compare),
    [all, place.value, matches],
  );
  const state = live.state.value;
  const hidden = hiddenByDefault === undefined ? [] : hiddenColumns(hiddenByDefault);
  return (
    <>
      <div class="title-row">
        <h1>{title}</h1>
        <IconButton icon="refresh" label={t("jobs.refresh")} onClick={live.reload} />
        <span class="spacer" />
        {actions}
      </div>
      <div class="filters">
        <input type="search" class="field" placeholder={t("jobs.search")} aria-label={t("jobs.search")} value={place.value.query.get("q") ?? ""}
          onInput={(event) => setQuery({ q: event.currentTarget.value }, true)} />
        {filters}
        {hiddenByDefault !== undefined && <ColumnChooser columns={columns} hiddenByDefault={hiddenByDefault} />}
      </div>
      {state.state === "failed" && <Failure error={state.error} onRetry={live.reload} />}
      {state.state === "loading" && all.size === 0 && <div class="skeleton" aria-hidden="true"><i /><i /><i /></div>}
      {state.state === "live" && all.size === 0 && <div class="empty">{empty}</div>}
      {all.size > 0 && shown.length === 0 && <p class="empty">{t("list.nothingMatches")}</p>}
      {shown.length > 0 && <Table label={title} rows={shown} columns={columns.filter((column) => !hidden.includes(column.key))} keyOf={(one) => one.metadata?.uid ?? ""} noteOf={noteOf} {...(onOpen ? { onOpen } : {})} />}
    </>
  );
}

export function Age({ of }: { of: string | undefined }) {
  return <span title={`${formatTime(of)} ${zoneName()}`}>{formatAge(of, now.value)}</span>;
}
