// A new object of a kind with few fields: by a form, or by the YAML that the form makes.
import type { ComponentChildren } from "preact";
import { lazy, Suspense } from "preact/compat";
import { useState } from "preact/hooks";
import { send } from "../../api/client";
import { t } from "../../i18n";
import { toYaml } from "../../lib/yaml";
import { Button } from "../../ui/Button";
import { FormDialog } from "../../ui/FormDialog";
import { showToast } from "../../ui/toast";
import { CheckResult, useCheck } from "./check";

const ManifestEditor = lazy(() => import("./ManifestEditor"));

interface ObjectDialogProps {
  title: string;
  /** The collection that the object becomes a member of. */
  path: string;
  manifest: { metadata?: { name?: string } };
  /** The fields that make the manifest. */
  children: ComponentChildren;
  onClose: () => void;
}

const post = (path: string, text: string, more: Record<string, string> = {}) =>
  send("POST", `${path}?${new URLSearchParams({ fieldValidation: "Strict", ...more })}`, text, "application/yaml");

function Preview({ path, text, onChange }: { path: string; text: string; onChange: (text: string) => void }) {
  const check = useCheck(text, (typed) => post(path, typed, { dryRun: "All" }));
  return (
    <>
      <Suspense fallback={<div class="skeleton" aria-hidden="true"><i /><i /></div>}>
        <ManifestEditor label={t("create.editor")} text={text} problems={check.problems} onChange={onChange} />
      </Suspense>
      <CheckResult check={check} />
    </>
  );
}

export function ObjectDialog({ title, path, manifest, children, onClose }: ObjectDialogProps) {
  const [text, setText] = useState<string>();
  const create = async () => {
    const made = (await (await post(path, text ?? toYaml(manifest))).json()) as ObjectDialogProps["manifest"];
    showToast(t("create.objectCreated", { name: made.metadata?.name ?? "" }));
  };
  return (
    <FormDialog title={title} action={t("create.create")} onSubmit={create} onClose={onClose} wide={text !== undefined}
      extra={text === undefined
        ? <Button onClick={() => setText(toYaml(manifest))}>{t("create.preview")}</Button>
        : <Button onClick={() => setText(undefined)}>{t("create.backToForm")}</Button>}>
      {text === undefined ? children : <Preview path={path} text={text} onChange={setText} />}
    </FormDialog>
  );
}
