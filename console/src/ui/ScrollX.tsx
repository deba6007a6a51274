import type { ComponentChildren } from "preact";

/** Holds a table that may be wider than the screen; the keyboard can also scroll it. */
export function ScrollX({ label, children }: { label: string; children: ComponentChildren }) {
  return <div class="scroll-x" role="region" aria-label={label} tabIndex={0}>{children}</div>;
}
