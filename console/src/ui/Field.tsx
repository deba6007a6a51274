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
  disabled?: boolean;
  /** Values that may be meant; any other can also be typed. */
  suggestions?: string[];
  /** What the server says about a value that it accepts. */
  warning?: string | undefined;
  /** Replaces the help. */
  error?: string | undefined;
}

/** A text with its label above and help below; what is not marked as optional is needed. */
export function Field({ label, value, onInput, help, optional = false, long = false, disabled = false, suggestions = [], warning, error }: FieldProps) {
  const id = useId();
  const common = {
    id, class: "field", value, spellcheck: false, autocomplete: "off", disabled, "aria-invalid": Boolean(error),
    onInput: (event: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) => onInput(event.currentTarget.value),
    ...(help || warning || error ? { "aria-describedby": `${id}-help` } : {}),
  };
  return (
    <div class="form-field">
      <label for={id}>{label}{optional && <span class="quiet"> {t("create.optional")}</span>}</label>
      {long ? <textarea rows={Math.min(8, Math.max(2, value.split("\n").length))} {...common} /> : <input list={suggestions.length ? `${id}-list` : undefined} {...common} />}
      {suggestions.length > 0 && <datalist id={`${id}-list`}>{suggestions.map((one) => <option key={one} value={one} />)}</datalist>}
      {(error || warning || help) && <p class={error ? "bad" : warning ? "warn" : "quiet"} id={`${id}-help`}>{error || warning || help}</p>}
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
