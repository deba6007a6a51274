// A job's YAML in an editor: checked while it is typed, shown as changes before it is applied, and never over somebody else's change.
import { useEffect, useState } from "preact/hooks";
import { ApiError, asApiError, getJson, send } from "../../api/client";
import { t } from "../../i18n";
import { Button } from "../../ui/Button";
import { Failure } from "../../ui/Failure";
import { showToast } from "../../ui/toast";
import { CheckResult, useCheck } from "../create/check";
import ManifestEditor from "../create/ManifestEditor";
import { editableText, withRevision, type Stored } from "./editing";

interface Draft {
  /** What it began from, and the revision of that. */
  base: string;
  revision: string;
  text: string;
}

const revisionOf = (object: Stored) => object.metadata?.resourceVersion ?? "";
const put = (path: string, draft: Draft, dryRun: boolean) =>
  send("PUT", `${path}?fieldValidation=Strict${dryRun ? "&dryRun=All" : ""}`, withRevision(draft.text, draft.revision), "application/yaml");

/** Sends the text. A revision that is old only because of a new status does not conflict. */
async function save(path: string, draft: Draft, dryRun: boolean): Promise<Response> {
  try {
    return await put(path, draft, dryRun);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 409) throw error;
    const current = await getJson<Stored>(path);
    if (editableText(current) !== draft.base) throw error;
    return put(path, { ...draft, revision: revisionOf(current) }, dryRun);
  }
}

function Editing({ path, label, draft, onChange, onReload, onDone }: {
  path: string; label: string; draft: Draft; onChange: (draft: Draft) => void; onReload: () => void; onDone: () => void;
}) {
  const [reviewing, setReviewing] = useState(false);
  const [error, setError] = useState<ApiError>();
  const check = useCheck(draft.text, (text) => save(path, { ...draft, text }, true));
  const apply = () => save(path, draft, false).then(
    () => {
      showToast(t("edit.applied"));
      onDone();
    },
    (problem: unknown) => setError(asApiError(problem)),
  );
  /** From now on it is compared with what the server has, and applied on top of that. */
  const compare = () => getJson<Stored>(path).then(
    (current) => {
      onChange({ ...draft, base: editableText(current), revision: revisionOf(current) });
      setReviewing(true);
      setError(undefined);
    },
    (problem: unknown) => setError(asApiError(problem)),
  );
  return (
    <>
      {error && <Failure error={error} />}
      {error?.code === 409 && (
        <p class="notice">
          {t("edit.conflict")}
          <Button onClick={() => void compare()}>{t("edit.compare")}</Button>
          <Button onClick={onReload}>{t("edit.reload")}</Button>
        </p>
      )}
      <div class="filters">
        {reviewing && draft.text === draft.base && <span class="quiet" role="status">{t("edit.unchanged")}</span>}
        <span class="spacer" />
        <Button onClick={onDone}>{t("action.cancel")}</Button>
        {reviewing
          ? <><Button onClick={() => setReviewing(false)}>{t("edit.goOn")}</Button><Button kind="primary" disabled={draft.text === draft.base} onClick={() => void apply()}>{t("edit.apply")}</Button></>
          : <Button kind="primary" onClick={() => setReviewing(true)}>{t("edit.review")}</Button>}
      </div>
      <ManifestEditor label={label} text={draft.text} problems={check.problems} onChange={(text) => onChange({ ...draft, text })} original={reviewing ? draft.base : undefined} focus />
      <CheckResult check={check} />
    </>
  );
}

function keptDraft(key: string): Draft | undefined {
  try {
    return (JSON.parse(sessionStorage.getItem(key) ?? "null") as Draft | null) ?? undefined;
  } catch {
    return undefined;
  }
}

/** What was typed outlives a reload of the page, and ends with the editing. */
export default function EditYaml({ path, label, onDone }: { path: string; label: string; onDone: () => void }) {
  const key = `muster-edit-${path}`;
  const [draft, setDraft] = useState(() => keptDraft(key));
  const [error, setError] = useState<ApiError>();
  const keep = (next: Draft) => {
    setDraft(next);
    sessionStorage.setItem(key, JSON.stringify(next));
  };
  const read = () => {
    sessionStorage.removeItem(key);
    setDraft(undefined);
    setError(undefined);
    getJson<Stored>(path).then(
      (object) => setDraft({ base: editableText(object), revision: revisionOf(object), text: editableText(object) }),
      (problem: unknown) => setError(asApiError(problem)),
    );
  };
  useEffect(() => void (draft ?? read()), []);
  const done = () => {
    sessionStorage.removeItem(key);
    onDone();
  };
  if (error) return <Failure error={error} onRetry={read} />;
  if (!draft) return <div class="skeleton" aria-hidden="true"><i /><i /></div>;
  return <Editing path={path} label={label} draft={draft} onChange={keep} onReload={read} onDone={done} />;
}
