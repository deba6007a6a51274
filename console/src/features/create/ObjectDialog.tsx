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

const Editor = lazy(() => import("../../ui/Editor"));

interface ObjectDialogProps {
  title: string;
  /** The collection that the object becomes a member of. */
  path: string;
  manifest: { metadata?: { name?: string } };
  /** The fields that make the manifest. */
  children: ComponentChildren;
  onClose: () => void;
}

export function ObjectDialog({ title, path, manifest, children, onClose }: ObjectDialogProps) {
  const [text, setText] = useState<string>();
  const create = async () => {
    const made = (await (await send("POST", `${path}?fieldValidation=Strict`, text ?? toYaml(manifest), "application/yaml")).json()) as ObjectDialogProps["manifest"];
    showToast(t("create.objectCreated", { name: made.metadata?.name ?? "" }));
  };
  return (
    <FormDialog title={title} action={t("create.create")} onSubmit={create} onClose={onClose} wide={text !== undefined}
      extra={text === undefined
        ? <Button onClick={() => setText(toYaml(manifest))}>{t("create.preview")}</Button>
        : <Button onClick={() => setText(undefined)}>{t("create.backToForm")}</Button>}>
      {text === undefined ? children : (
        <Suspense fallback={<div class="skeleton" aria-hidden="true"><i /><i /></div>}>
          <Editor label={t("create.editor")} text={text} problems={[]} onChange={setText} />
        </Suspense>
      )}
    </FormDialog>
  );
}
