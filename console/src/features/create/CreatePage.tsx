// A new job: by a form where there is one, or by its YAML. Whatever was typed is kept until the job exists.
import { signal } from "@preact/signals";
import { lazy, Suspense } from "preact/compat";
import { useEffect, useMemo, useState } from "preact/hooks";
import { ApiError } from "../../api/client";
import type { JobKind } from "../../api/jobs";
import { t } from "../../i18n";
import { chosenNamespace, go, hrefOf, withNamespace } from "../../lib/router";
import { toYaml } from "../../lib/yaml";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { Failure } from "../../ui/Failure";
import { showToast } from "../../ui/toast";
import { JobFormFields } from "./JobFormFields";
import { emptyForm, manifestOf, skeleton, type JobForm } from "./manifest";
import { createFromYaml, kindIn, problemsOf } from "./submit";

const Editor = lazy(() => import("../../ui/Editor"));
const lintAfter = 400;

// Drafts outlive the page, and a reload of the tab.
const draftKey = (kind: string) => `muster-draft-${kind}`;
const form = signal<JobForm>(readForm());

function readForm(): JobForm {
  try {
    return { ...emptyForm(), ...(JSON.parse(sessionStorage.getItem(draftKey("form")) ?? "{}") as Partial<JobForm>) };
  } catch {
    return emptyForm();
  }
}

function keepForm(next: JobForm): void {
  form.value = next;
  sessionStorage.setItem(draftKey("form"), JSON.stringify(next));
}

const asError = (problem: unknown) => (problem instanceof ApiError ? problem : new ApiError({ message: String(problem) }));

interface TargetProps {
  kind: JobKind;
  kinds: JobKind[];
}

/** Creates the job and goes to the list, where it appears. */
async function create(text: string, { kind, kinds }: TargetProps): Promise<void> {
  await createFromYaml(text, kindIn(text, kinds, kind), chosenNamespace() || "default", false);
  sessionStorage.removeItem(draftKey("form"));
  sessionStorage.removeItem(draftKey(kind.kind));
  form.value = emptyForm();
  showToast(t("create.created"));
  go(hrefOf(["jobs"], withNamespace()));
}

/** The text with what the server would say to it, asked a moment after the last key. */
function YamlEditor({ text, onChange, target }: { text: string; onChange: (text: string) => void; target: TargetProps }) {
  const [error, setError] = useState<ApiError>();
  const [checked, setChecked] = useState(false);
  useEffect(() => {
    let stale = false;
    setChecked(false);
    const timer = setTimeout(() => {
      createFromYaml(text, kindIn(text, target.kinds, target.kind), chosenNamespace() || "default", true).then(
        () => !stale && (setError(undefined), setChecked(true)),
        (problem: unknown) => !stale && setError(asError(problem)),
      );
    }, lintAfter);
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  }, [text]);
  const problems = useMemo(() => (error ? problemsOf(error, text) : []), [error]);
  return (
    <>
      <Suspense fallback={<div class="skeleton" aria-hidden="true"><i /><i /></div>}>
        <Editor label={t("create.editor")} text={text} problems={problems} onChange={onChange} />
      </Suspense>
      <div class="lint" role="status" aria-label={t("create.check")}>
        {checked && <p class="good">✓ {t("create.valid")}</p>}
        {problems.map((problem) => <p class="bad" key={problem.message}><span>{t("create.line", { line: problem.line + 1 })}</span> {problem.message}</p>)}
      </div>
    </>
  );
}

function Preview({ target, onClose }: { target: TargetProps; onClose: () => void }) {
  const [text, setText] = useState(() => toYaml(manifestOf(form.value)));
  const [error, setError] = useState<ApiError>();
  const submit = () => void create(text, target).catch((problem: unknown) => setError(asError(problem)));
  return (
    <Dialog title={t("create.preview")} onClose={onClose} wide>
      {error && <Failure error={error} />}
      <YamlEditor text={text} onChange={setText} target={target} />
      <footer>
        <Button onClick={onClose}>{t("action.cancel")}</Button>
        <Button kind="primary" onClick={submit}>{t("create.create")}</Button>
      </footer>
    </Dialog>
  );
}

function ByForm({ target }: { target: TargetProps }) {
  const [preview, setPreview] = useState(false);
  const [error, setError] = useState<ApiError>();
  const submit = () => void create(toYaml(manifestOf(form.value)), target).catch((problem: unknown) => setError(asError(problem)));
  return (
    <>
      <div class="title-row">
        <h1>{t("create.title", { kind: target.kind.kind })}</h1>
        <span class="spacer" />
        <Button onClick={() => setPreview(true)}>{t("create.preview")}</Button>
        <Button kind="primary" onClick={submit}>{t("create.create")}</Button>
      </div>
      {error && <Failure error={error} />}
      <JobFormFields form={form.value} onChange={keepForm} />
      {preview && <Preview target={target} onClose={() => setPreview(false)} />}
    </>
  );
}

function ByYaml({ target }: { target: TargetProps }) {
  const { kind } = target;
  const [text, setText] = useState(() => sessionStorage.getItem(draftKey(kind.kind)) ?? toYaml(skeleton(`${kind.group}/${kind.version}`, kind.kind)));
  const [error, setError] = useState<ApiError>();
  const change = (next: string) => {
    setText(next);
    sessionStorage.setItem(draftKey(kind.kind), next);
  };
  return (
    <>
      <div class="title-row">
        <h1>{t("create.title", { kind: kind.kind })}</h1>
        <span class="spacer" />
        <Button kind="primary" onClick={() => void create(text, target).catch((problem: unknown) => setError(asError(problem)))}>{t("create.create")}</Button>
      </div>
      {error && <Failure error={error} />}
      <YamlEditor text={text} onChange={change} target={target} />
    </>
  );
}

export default function CreatePage({ kind, kinds }: TargetProps) {
  return kind.kind === "PyTorchTrainingJob" ? <ByForm target={{ kind, kinds }} /> : <ByYaml key={kind.kind} target={{ kind, kinds }} />;
}
