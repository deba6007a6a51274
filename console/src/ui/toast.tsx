// A line that says what happened elsewhere, and goes away by itself.
import { signal } from "@preact/signals";
import { asApiError } from "../api/client";
import { t } from "../i18n";

const message = signal("");
let timer: ReturnType<typeof setTimeout> | undefined;

export function showToast(text: string): void {
  message.value = text;
  clearTimeout(timer);
  timer = setTimeout(() => (message.value = ""), 5000);
}

/** Says why an action failed; for those that have no place of their own to say it. */
export async function toastFailure(action: Promise<unknown>): Promise<void> {
  await action.catch((problem: unknown) => showToast(asApiError(problem).message || t("error.offline")));
}

export function Toast() {
  return <div class="toast" role="status" aria-live="polite" hidden={!message.value}>{message.value}</div>;
}
