// A new job. Its YAML is the one truth: the form edits that text, so both are always in step. Whatever was typed is kept until the job exists.
import { lazy, Suspense } from "preact/compat";
import { useEffect, useMemo, useState } from "preact/hooks";
import { asApiError, getJson, type ApiError } from "../../api/client";
import { collectionPath, resourceName, type JobKind } from "../../api/jobs";
import { objectPath } from "../../api/paths";
import { t } from "../../i18n";
import { chosenNamespace, go, hrefOf, place, withNamespace } from "../../lib/router";
import { toYaml } from "../../lib/yaml";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { Failure } from "../../ui/Failure";
import { showToast } from "../../ui/toast";
import { CheckResult, useCheck, type Check } from "./check";
import { freshCopy, nextName, type StoredJob } from "./copy";
import { editText, readManifest, renameKey } from "./document";
import { FormView } from "./FormView";
import { ImportDialog } from "./ImportDialog";
import { beginning, formOf } from "./kinds";
import { createFromYaml, kindIn } from "./submit";

const ManifestEditor = lazy(() => import("./ManifestEditor"));
const wideScreen = matchMedia("(min-width: 1400px)");

interface TargetProps {
  kind: JobKind;
  kinds: JobKind[];
}

interface YamlProps {
  text: string;
  onChange: (text: string) => void;
  check: Check;
  focus?: boolean;
  original?: string | undefined;
}

function Yaml({ text, onChange, check, focus = false, original }: YamlProps) {
  return (
    <>
      <Suspense fallback={<div class="skeleton" aria-hidden="true"><i /><i /></div>}>
        <ManifestEditor label={t("create.editor")} text={text} problems={check.problems} onChange={onChange} focus={focus} original={original} />
      </Suspense>
      <CheckResult check={check} />
    </>
  );
}

function keepDraft(key: string, text: string): void {
  try {
    sessionStorage.setItem(key, text);
  } catch {
    sessionStorage.removeItem(key);  // a browser keeps a few megabytes; half a text is worse than none
  }
}

function useIsWide(): boolean {
  const [wide, setWide] = useState(wideScreen.matches);
  useEffect(() => {
    const onChange = () => setWide(wideScreen.matches);
    wideScreen.addEventListener("change", onChange);
    return () => wideScreen.removeEventListener("change", onChange);
  }, []);
  return wide;
}

interface PageProps extends TargetProps {
  draftKey: string;
  initial: string;
  /** The text of the job that this one began as. */
  base?: string | undefined;
}

function CreateForm({ kind, kinds, draftKey, initial, base: begun }: PageProps) {
  const [text, setText] = useState(() => sessionStorage.getItem(draftKey) ?? initial);
  const [base, setBase] = useState(begun);
  const [undo, setUndo] = useState<{ text: string; name: string }>();
  const [open, setOpen] = useState<"" | "preview" | "import">("");
  const [comparing, setComparing] = useState(false);
  const [error, setError] = useState<ApiError>();
  const [tried, setTried] = useState(false);
  const wide = useIsWide();
  const send = (dryRun: boolean) => createFromYaml(text, kindIn(text, kinds, kind), chosenNamespace() || "default", dryRun);
  const check = useCheck(text, () => send(true));
  const { value: manifest } = useMemo(() => readManifest(text), [text]);
  const form = formOf(kindIn(text, kinds, kind));
  const change = (next: string) => {
    setText(next);
    setError(undefined);  // it was about another text
    keepDraft(draftKey, next);
  };
  const create = async () => {
    try {
      await send(false);
      sessionStorage.removeItem(draftKey);
      showToast(t("create.created"));
      go(hrefOf(["jobs"], withNamespace()));
    } catch (problem) {
      setError(asApiError(problem));
      setTried(true);
    }
  };
  const take = (job: StoredJob) => {
    const copy = toYaml(freshCopy(job, nextName(job.metadata?.name ?? "")));
    setUndo({ text, name: job.metadata?.name ?? "" });
    setBase(copy);
    change(copy);
    setOpen("");
  };
  const editor = (focus: boolean) => <Yaml text={text} onChange={change} check={check} focus={focus} original={comparing ? base : undefined} />;
  const compare = base !== undefined && (
    <label class="check"><input type="checkbox" checked={comparing} onChange={(event) => setComparing(event.currentTarget.checked)} /> {t("create.changes")}</label>
  );
  const showsForm = form !== undefined && manifest !== undefined;
  return (
    <>
      <div class="title-row stays">
        <h1>{t("create.title", { kind: kind.kind })}</h1>
        <span class="spacer" />
        <Button onClick={() => setOpen("import")}>{t("create.import", { kind: kind.kind })}</Button>
        {showsForm && <Button onClick={() => setOpen("preview")}>{t("create.preview")}</Button>}
        <Button kind="primary" onClick={() => void create()}>{t("create.create")}</Button>
      </div>
      {error && open === "" && <Failure error={error} />}
      {undo && (
        <p class="notice" role="status">
          {t("create.imported", { name: undo.name })} <Button onClick={() => (change(undo.text), setUndo(undefined))}>{t("create.undo")}</Button>
        </p>
      )}
      {form && !manifest && <p class="notice" role="status">{t("create.notForm")}</p>}
      {showsForm ? (
        <div class="form-and-yaml">
          <FormView form={form} manifest={manifest} problems={check.problems} warnings={check.warnings} strict={tried} apply={(edits) => change(editText(text, edits))}
            rename={(role, name) => change(renameKey(text, role.path, name))} />
          {wide && open === "" && <aside aria-label={t("create.preview")}>{compare}{editor(false)}</aside>}
        </div>
      ) : open === "" && editor(true)}
      {open === "import" && <ImportDialog kind={kind} onClose={() => setOpen("")} onChoose={take} />}
      {open === "preview" && (
        <Dialog title={t("create.preview")} onClose={() => setOpen("")} wide>
          {error && <Failure error={error} />}
          {editor(true)}
          <footer>
            {compare}
            <span class="spacer" />
            <Button onClick={() => setOpen("")}>{t("create.backToForm")}</Button>
            <Button kind="primary" onClick={() => void create()}>{t("create.create")}</Button>
          </footer>
        </Dialog>
      )}
    </>
  );
}

/** A copy of the job that ?from=PROJECT/NAME names. */
function CloneForm({ from, ...target }: TargetProps & { from: string }) {
  const [job, setJob] = useState<StoredJob>();
  const [error, setError] = useState<ApiError>();
  const [ns = "", name = ""] = from.split("/");
  const read = () => {
    setError(undefined);
    getJson<StoredJob>(objectPath(collectionPath(target.kind, ns), name)).then(setJob, (problem: unknown) => setError(asApiError(problem)));
  };
  useEffect(read, []);
  if (error) return <Failure error={error} onRetry={read} />;
  if (!job) return <div class="skeleton" aria-hidden="true"><i /><i /><i /></div>;
  const copy = toYaml(freshCopy(job, nextName(name)));
  return <CreateForm {...target} draftKey={`muster-draft-${resourceName(target.kind)}-${from}`} initial={copy} base={copy} />;
}

export default function CreatePage(target: TargetProps) {
  const from = place.value.query.get("from");
  const key = resourceName(target.kind);
  if (from) return <CloneForm key={`${key}/${from}`} from={from} {...target} />;
  return <CreateForm key={key} {...target} draftKey={`muster-draft-${key}`} initial={toYaml(beginning(target.kind))} />;
}
