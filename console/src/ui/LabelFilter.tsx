// Narrows a list to one label: "key" or "key=value", in the address when it is complete.
import { useEffect, useState } from "preact/hooks";
import { t } from "../i18n";
import { setQuery } from "../lib/router";

export function LabelFilter({ value }: { value: string }) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  return (
    <form class="label-filter" onSubmit={(event) => {
      event.preventDefault();
      setQuery({ label: text.trim(), page: "" });
    }}>
      <input class="field" aria-label={t("jobs.labels")} placeholder={`${t("jobs.labels")}: ${t("jobs.labelsHint")}`} value={text} onInput={(event) => setText(event.currentTarget.value)} />
    </form>
  );
}
