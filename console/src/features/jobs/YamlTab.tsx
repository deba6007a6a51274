import { lazy, Suspense } from "preact/compat";
import { useEffect, useState } from "preact/hooks";
import { asApiError, getJson, type ApiError } from "../../api/client";
import { t } from "../../i18n";
import { place, setQuery } from "../../lib/router";
import { toYaml } from "../../lib/yaml";
import { Button } from "../../ui/Button";
import { Failure } from "../../ui/Failure";
import { showToast } from "../../ui/toast";

const EditYaml = lazy(() => import("./EditYaml"));

/** Who wrote which field is of no use to a reader. */
function withoutManagedFields(object: { metadata?: { managedFields?: unknown } }): unknown {
  const { managedFields: _, ...metadata } = object.metadata ?? {};
  return { ...object, metadata };
}

interface YamlTabProps {
  label: string;
  path: string;
  revision: string;
  /** Whether it can be edited here. */
  editable?: boolean;
}

/** The object as YAML; it is read again when its revision changes. */
export function YamlTab({ label, path, revision, editable = false }: YamlTabProps) {
  const [text, setText] = useState("");
  const [error, setError] = useState<ApiError>();
  const editing = editable && place.value.query.get("edit") !== null;
  useEffect(() => {
    if (editing) return;
    getJson<{ metadata?: { managedFields?: unknown } }>(path).then(
      (object) => {
        setText(toYaml(withoutManagedFields(object)));
        setError(undefined);
      },
      (problem: unknown) => setError(asApiError(problem)),
    );
  }, [path, revision, editing]);
  if (editing) {
    return (
      <div class="card flush">
        <Suspense fallback={null}><EditYaml path={path} label={t("yaml.label", { name: label })} onDone={() => setQuery({ edit: "" })} /></Suspense>
      </div>
    );
  }
  const copy = () => void navigator.clipboard.writeText(text).then(() => showToast(t("action.copied")));
  return (
    <div class="card flush">
      {error && <Failure error={error} />}
      <div class="filters">
        <span class="spacer" />
        {editable && <Button onClick={() => setQuery({ edit: "true" })}>{t("edit.edit")}</Button>}
        <Button onClick={copy}>{t("action.copy")}</Button>
      </div>
      <pre class="code" tabIndex={0} role="region" aria-label={t("yaml.label", { name: label })}>{text}</pre>
    </div>
  );
}
