// A dialog with fields and one action. It stays open, with the server's words, until the action succeeds.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, asApiError } from "../api/client";
import { t } from "../i18n";
import { Button } from "./Button";
import { Dialog } from "./Dialog";
import { Failure } from "./Failure";

interface FormDialogProps {
  title: string;
  /** What the button says. */
  action: string;
  onSubmit: () => Promise<unknown>;
  onClose: () => void;
  children: ComponentChildren;
  danger?: boolean;
  /** While true there is nothing to submit. */
  blocked?: boolean;
  wide?: boolean;
  /** More buttons, at the left of the others. */
  extra?: ComponentChildren;
}

export function FormDialog({ title, action, onSubmit, onClose, children, danger = false, blocked = false, wide = false, extra }: FormDialogProps) {
  const [error, setError] = useState<ApiError>();
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector<HTMLElement>("input, textarea, select")?.focus(), []);
  const submit = async () => {
    if (blocked || busy) return;
    setBusy(true);
    try {
      await onSubmit();
      onClose();
    } catch (problem) {
      setError(asApiError(problem));
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose} wide={wide}>
      {error && <Failure error={error} />}
      <form ref={form} class="dialog-form" onInput={() => setError(undefined)} onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}>
        {children}
        <footer>
          {extra}
          <span class="spacer" />
          <Button onClick={onClose}>{t("action.cancel")}</Button>
          <button type="submit" class={`button ${danger ? "danger" : "primary"}`} disabled={blocked || busy}>{action}</button>
        </footer>
      </form>
    </Dialog>
  );
}
