import { useEffect, useState } from "preact/hooks";
import { ApiError, getJson } from "../../api/client";
import { t } from "../../i18n";
import { toYaml } from "../../lib/yaml";
import { Button } from "../../ui/Button";
import { Failure } from "../../ui/Failure";
import { showToast } from "../../ui/toast";

/** Who wrote which field is of no use to a reader. */
function withoutManagedFields(object: { metadata?: { managedFields?: unknown } }): unknown {
  const { managedFields: _, ...metadata } = object.metadata ?? {};
  return { ...object, metadata };
}

/** The object as YAML; it is read again when its revision changes. */
export function YamlTab({ label, path, revision }: { label: string; path: string; revision: string }) {
  const [text, setText] = useState("");
  const [error, setError] = useState<ApiError>();
  useEffect(() => {
    getJson<{ metadata?: { managedFields?: unknown } }>(path).then(
      (object) => {
        setText(toYaml(withoutManagedFields(object)));
        setError(undefined);
      },
      (problem: unknown) => setError(problem instanceof ApiError ? problem : new ApiError({ message: String(problem) })),
    );
  }, [path, revision]);
  const copy = () => void navigator.clipboard.writeText(text).then(() => showToast(t("action.copied")));
  return (
    <div class="card flush">
      {error && <Failure error={error} />}
      <div class="filters"><span class="spacer" /><Button onClick={copy}>{t("action.copy")}</Button></div>
      <pre class="code" tabIndex={0} role="region" aria-label={t("yaml.label", { name: label })}>{text}</pre>
    </div>
  );
}
