import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { t } from "../i18n";

interface FieldProps {
  label: string;
  value: string;
  onInput: (value: string) => void;
  help?: string;
  optional?: boolean;
  /** Several lines. */
  long?: boolean;
}

/** A text with its label above and help below; what is not marked as optional is needed. */
export function Field({ label, value, onInput, help, optional = false, long = false }: FieldProps) {
  const id = useId();
  const common = {
    id, class: "field", value, spellcheck: false, autocomplete: "off",
    onInput: (event: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) => onInput(event.currentTarget.value),
    ...(help ? { "aria-describedby": `${id}-help` } : {}),
  };
  return (
    <div class="form-field">
      <label for={id}>{label}{optional && <span class="quiet"> {t("create.optional")}</span>}</label>
      {long ? <textarea rows={2} {...common} /> : <input {...common} />}
      {help && <p class="quiet" id={`${id}-help`}>{help}</p>}
    </div>
  );
}

export function Toggle({ label, checked, onChange, children }: { label: string; checked: boolean; onChange: (checked: boolean) => void; children?: ComponentChildren }) {
  return (
    <div class="toggle">
      <label class="check"><input type="checkbox" role="switch" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} /> {label}</label>
      {checked && children}
    </div>
  );
}
