// One Secret or ConfigMap: its values are read and changed here.
import { useMemo, useState } from "preact/hooks";
import { asApiError, send, type ApiError } from "../../api/client";
import { corePath, objectPath } from "../../api/paths";
import { useObject } from "../../api/useCollection";
import { t } from "../../i18n";
import { go, hrefOf, withNamespace } from "../../lib/router";
import { fullTime } from "../../lib/time";
import { Button } from "../../ui/Button";
import { Facts, type Fact } from "../../ui/Facts";
import { Failure } from "../../ui/Failure";
import { Menu } from "../../ui/Menu";
import { showToast } from "../../ui/toast";
import { DeleteConfig } from "./DeleteConfig";
import { Entries } from "./Entries";
import { entriesOf, newEntry, repeatedKey, withEntries, type Config, type Entry, type Plural } from "./model";

interface Draft {
  /** What the changes are made to; the server refuses them when it has a newer one. */
  base: Config;
  entries: Entry[];
}

function Values({ path, object, isGone }: { path: string; object: Config; isGone: boolean }) {
  const [draft, setDraft] = useState<Draft>();
  const [error, setError] = useState<ApiError>();
  const [busy, setBusy] = useState(false);
  const { base, entries } = draft ?? { base: object, entries: entriesOf(object) };
  const change = (next: Entry[]) => setDraft({ base, entries: next });
  const discard = () => {
    setDraft(undefined);
    setError(undefined);
  };
  const save = async () => {
    setBusy(true);
    try {
      await send("PUT", path, JSON.stringify(withEntries(base, entries)));
      discard();
      showToast(t("config.saved", { name: object.metadata?.name ?? "" }));
    } catch (problem) {
      setError(asApiError(problem));
    }
    setBusy(false);
  };
  const repeated = repeatedKey(entries);
  const mayChange = !object.immutable && !isGone;
  return (
    <section class="card">
      <h2>{t("config.values")}</h2>
      {draft && base.metadata?.resourceVersion !== object.metadata?.resourceVersion && <p class="notice" role="status">{t("config.changed")}</p>}
      {error && <Failure error={error} />}
      <Entries entries={entries} onChange={mayChange ? change : undefined} />
      {repeated !== undefined && <p class="note">{t("config.repeated", { key: repeated })}</p>}
      {mayChange && (
        <div class="card-actions">
          <Button onClick={() => change([...entries, newEntry])}>{t("config.add")}</Button>
          <span class="spacer" />
          {draft && <Button onClick={discard}>{t("config.discard")}</Button>}
          <Button kind="primary" disabled={!draft || busy || repeated !== undefined} onClick={() => void save()}>{t("config.save")}</Button>
        </div>
      )}
    </section>
  );
}

export function EditPage({ plural, ns, name }: { plural: Plural; ns: string; name: string }) {
  const { live, object } = useObject<Config>(corePath(plural, ns), name);
  const [deleting, setDeleting] = useState(false);
  const last = useMemo<{ object?: Config }>(() => ({}), []);
  if (object) last.object = object;
  const shown = last.object;
  const state = live.state.value;
  if (!shown) {
    if (state.state === "failed") return <Failure error={state.error} onRetry={live.reload} />;
    if (state.state === "live") return <p class="empty">{t("config.notFound", { kind: t(`${plural}.title`), name, ns })}</p>;
    return <div class="skeleton" aria-hidden="true"><i /><i /><i /></div>;
  }
  const facts: Fact[] = [
    { label: t("job.project"), value: ns },
    ...(shown.kind === "Secret" ? [{ label: t("config.type"), value: <code>{shown.type}</code> }] : []),
    { label: t("job.created"), value: fullTime(shown.metadata?.creationTimestamp) },
    ...(shown.immutable ? [{ label: t("config.immutable"), value: "✓" }] : []),
  ];
  return (
    <>
      <div class="title-row">
        <h1 class="object">{name}</h1>
        <span class="spacer" />
        {object && <Menu label={t("action.more", { name })} items={() => [{ label: t("action.delete"), danger: true, onSelect: () => setDeleting(true) }]} />}
      </div>
      {!object && <p class="notice" role="status">{t("config.gone")} <Button onClick={() => go(hrefOf([plural], withNamespace()))}>{t(`${plural}.title`)}</Button></p>}
      {state.state === "failed" && <Failure error={state.error} onRetry={live.reload} />}
      <div class="cards">
        <section class="card"><h2>{t("job.basics")}</h2><Facts facts={facts} /></section>
        <Values path={objectPath(corePath(plural, ns), name)} object={shown} isGone={!object} />
      </div>
      {deleting && <DeleteConfig plural={plural} ns={ns} name={name} onClose={() => setDeleting(false)} />}
    </>
  );
}
