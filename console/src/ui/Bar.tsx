// How much of something is in use, as a bar with its words.
import type { ComponentChildren } from "preact";

interface BarProps {
  label: ComponentChildren;
  /** What the bar says to those who do not see it. */
  name: string;
  /** From 0 to 1; undefined where nothing is measured. */
  share: number | undefined;
  text: string;
}

export function Bar({ label, name, share, text }: BarProps) {
  const percent = share === undefined ? 0 : Math.round(Math.min(1, Math.max(0, share)) * 100);
  return (
    <div class="bar">
      <span class="bar-label">{label}</span>
      <span class="bar-text">{text}</span>
      <span class="bar-track" role="meter" aria-label={name} aria-valuemin={0} aria-valuemax={100} aria-valuenow={percent} aria-valuetext={text}>
        <i class={percent >= 90 ? "full" : ""} style={{ width: `${percent}%` }} />
      </span>
    </div>
  );
}
