import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../i18n";
import { IconButton } from "./Button";

interface DialogProps {
  title: string;
  children: ComponentChildren;
  onClose: () => void;
  wide?: boolean;
}

/** A native dialog: Escape closes it, and the focus stays inside and returns afterwards. */
export function Dialog({ title, children, onClose, wide = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);
  return (
    <dialog ref={dialog} class={wide ? "wide" : ""} aria-label={title} onClose={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}>
      <div class="dialog-body">
        <header>
          <h2>{title}</h2>
          <IconButton icon="close" label={t("help.close")} onClick={onClose} />
        </header>
        {children}
      </div>
    </dialog>
  );
}
