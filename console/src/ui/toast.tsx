// A line that says what happened elsewhere, and goes away by itself.
import { signal } from "@preact/signals";

const message = signal("");
let timer: ReturnType<typeof setTimeout> | undefined;

export function showToast(text: string): void {
  message.value = text;
  clearTimeout(timer);
  timer = setTimeout(() => (message.value = ""), 5000);
}

export function Toast() {
  return <div class="toast" role="status" aria-live="polite" hidden={!message.value}>{message.value}</div>;
}
