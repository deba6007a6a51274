// The present, for ages and durations on the page: it moves once a second while anything shows it.
import { signal } from "@preact/signals";

export const now = signal(Date.now());
setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 1000);
