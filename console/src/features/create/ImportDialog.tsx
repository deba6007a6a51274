import { useState } from "preact/hooks";
import { collectionPath, type JobKind } from "../../api/jobs";
import { useCollection } from "../../api/useCollection";
import { t } from "../../i18n";
import { chosenNamespace } from "../../lib/router";
import { Dialog } from "../../ui/Dialog";
import { Failure } from "../../ui/Failure";
import { Age } from "../../ui/ObjectList";
import type { StoredJob } from "./copy";

/** The newest are shown; the search finds the others. */
const most = 50;

/** The jobs of the kind, to begin with a copy of one. */
export function ImportDialog({ kind, onClose, onChoose }: { kind: JobKind; onClose: () => void; onChoose: (job: StoredJob) => void }) {
  const live = useCollection<StoredJob>(collectionPath(kind, chosenNamespace()));
  const [search, setSearch] = useState("");
  const state = live.state.value;
  const all = [...live.items.value.values()].sort((a, b) => (b.metadata?.creationTimestamp ?? "").localeCompare(a.metadata?.creationTimestamp ?? ""));
  const found = all.filter((job) => (job.metadata?.name ?? "").includes(search.trim()));
  const shown = found.slice(0, most);
  return (
    <Dialog title={t("create.importTitle", { kind: kind.kind })} onClose={onClose}>
      {state.state === "failed" && <Failure error={state.error} onRetry={live.reload} />}
      <input type="search" class="field" aria-label={t("jobs.search")} placeholder={t("jobs.search")} value={search} onInput={(event) => setSearch(event.currentTarget.value)} />
      {state.state === "live" && shown.length === 0 && <p class="empty">{all.length ? t("jobs.nothingMatches") : t("create.importEmpty", { kind: kind.kind })}</p>}
      <ul class="choices">
        {shown.map((job) => (
          <li key={job.metadata?.uid}>
            <button type="button" class="text-button object" onClick={() => onChoose(job)}>{job.metadata?.name}</button>
            <span class="quiet"><Age of={job.metadata?.creationTimestamp} /></span>
          </li>
        ))}
      </ul>
      {found.length > most && <p class="quiet">{t("create.importMore", { count: found.length - most })}</p>}
    </Dialog>
  );
}
