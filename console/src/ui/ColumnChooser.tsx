// Which columns of a table are shown: in the address, as whatever narrows a view.
import { t } from "../i18n";
import { place, setQuery } from "../lib/router";
import type { Column } from "./Table";

/** The keys of the hidden columns. */
export const hiddenColumns = (byDefault: string) => (place.value.query.get("hide") ?? byDefault).split(",");

interface ColumnChooserProps<T> {
  columns: Column<T>[];
  /** Keys with commas between them. */
  hiddenByDefault: string;
}

export function ColumnChooser<T>({ columns, hiddenByDefault }: ColumnChooserProps<T>) {
  const hidden = hiddenColumns(hiddenByDefault).filter(Boolean);
  const choose = (key: string, shown: boolean) => {
    const next = (shown ? hidden.filter((one) => one !== key) : [...hidden, key]).join(",");
    setQuery({ hide: next === hiddenByDefault ? "" : next || "none" });
  };
  return (
    <details class="chooser">
      <summary class="button plain">{t("jobs.columns")}</summary>
      <div class="menu">
        {columns.filter((column) => column.key !== "name" && column.key !== "actions").map((column) => (
          <label key={column.key}>
            <input type="checkbox" checked={!hidden.includes(column.key)} onChange={(event) => choose(column.key, event.currentTarget.checked)} />
            {column.title}
          </label>
        ))}
      </div>
    </details>
  );
}
