// Keys and values, each hidden until it is asked for.
import { useState } from "preact/hooks";
import { t } from "../../i18n";
import { saveAs } from "../../lib/saveAs";
import { Button, IconButton } from "../../ui/Button";
import { blobOf, sizeOf, type Entry } from "./model";

interface EntriesProps {
  entries: Entry[];
  /** undefined where nothing may be changed. */
  onChange: ((entries: Entry[]) => void) | undefined;
}

export function Entries({ entries, onChange }: EntriesProps) {
  const [shown, setShown] = useState<ReadonlySet<string>>(new Set());
  const known = entries.filter((entry) => !entry.isNew && entry.text !== undefined).map((entry) => entry.key);
  const all = known.length > 0 && known.every((key) => shown.has(key));
  const toggle = (key: string) => setShown(new Set(shown.has(key) ? [...shown].filter((one) => one !== key) : [...shown, key]));
  const replace = (index: number, change: Partial<Entry>) => onChange?.(entries.map((entry, at) => (at === index ? { ...entry, ...change } : entry)));
  return (
    <>
      {known.length > 1 && <Button onClick={() => setShown(new Set(all ? [] : known))}>{t(all ? "config.hideAll" : "config.showAll")}</Button>}
      {entries.length === 0 && <p class="quiet">{t("config.noValues")}</p>}
      <ul class="entries">
        {entries.map((entry, index) => {
          const open = entry.isNew || shown.has(entry.key);
          return (
            <li key={entry.isNew ? `new ${index}` : entry.key}>
              <div class="entry-head">
                {entry.isNew
                  ? <input class="field object" aria-label={t("config.key")} placeholder={t("config.key")} value={entry.key} spellcheck={false} onInput={(event) => replace(index, { key: event.currentTarget.value })} />
                  : <code>{entry.key}</code>}
                {!open && entry.text !== undefined && <span class="quiet">{t("config.hidden", { size: sizeOf(entry) })}</span>}
                {entry.text === undefined && <span class="quiet">{t("config.binary", { size: sizeOf(entry) })}</span>}
                <span class="spacer" />
                {entry.text === undefined && <IconButton icon="download" label={`${t("logs.download")}: ${entry.key}`} onClick={() => saveAs(blobOf(entry), entry.key)} />}
                {!entry.isNew && entry.text !== undefined && (
                  <button type="button" class="text-button" aria-expanded={open} aria-label={`${t(open ? "config.hide" : "config.show")}: ${entry.key}`} onClick={() => toggle(entry.key)}>{t(open ? "config.hide" : "config.show")}</button>
                )}
                {onChange && <IconButton icon="close" label={t("config.remove", { key: entry.key })} onClick={() => onChange(entries.filter((_, at) => at !== index))} />}
              </div>
              {open && entry.text !== undefined && (
                <textarea class="field" aria-label={t("config.value", { key: entry.key })} rows={Math.min(16, Math.max(1, entry.text.split("\n").length))} value={entry.text}
                  readOnly={!onChange} spellcheck={false} autocomplete="off" onInput={(event) => replace(index, { text: event.currentTarget.value })} />
              )}
            </li>
          );
        })}
      </ul>
    </>
  );
}
