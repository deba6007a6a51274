// A state is a shape, a colour and a word, the same everywhere.
import { t, type Key } from "../i18n";

export type State = "Pending" | "Starting" | "Running" | "Succeeded" | "Bound" | "Failed" | "Paused" | "Resuming" | "Restarting" | "Stopped" | "Deleting" | "Unknown";

const shapes: Record<State, string> = {
  Pending: "M8 3.5a4.5 4.5 0 100 9 4.5 4.5 0 000-9z",
  Starting: "M8 3.5a4.5 4.5 0 100 9 4.5 4.5 0 000-9zM8 3.5V8h4.5",
  Resuming: "M8 3.5a4.5 4.5 0 100 9 4.5 4.5 0 000-9zM8 3.5V8h4.5",
  Running: "M8 3.5a4.5 4.5 0 100 9 4.5 4.5 0 000-9z",
  Succeeded: "M3 8.5l3.5 3.5L13 4.5",
  Bound: "M3 8.5l3.5 3.5L13 4.5",
  Failed: "M4 4l8 8M12 4l-8 8",
  Restarting: "M12.5 8a4.5 4.5 0 11-1.3-3.2M12.5 2.5v2.8H9.7",
  Stopped: "M4.5 4.5h7v7h-7z",
  Paused: "M5.5 3.5v9M10.5 3.5v9",
  Deleting: "M6 4h7v8H6L2.5 8zM8 6.5l3 3M11 6.5l-3 3",
  Unknown: "M6 6a2 2 0 114 0c0 1.5-2 1.5-2 3M8 11.5v.5",
};

function titleOf(state: State): string {
  if (state === "Succeeded") return t("state.alsoSucceeded");
  return state === "Failed" ? t("state.alsoFailed") : t(`state.${state}` as Key);
}

export function StateShape({ state }: { state: State }) {
  return (
    <svg class={`shape state-${state}`} viewBox="0 0 16 16" width="16" height="16" role="img" aria-label={t(`state.${state}` as Key)}>
      <title>{titleOf(state)}</title>
      <path d={shapes[state]} />
    </svg>
  );
}

export function StateWord({ state }: { state: State }) {
  return (
    <span class="state" title={titleOf(state)}>
      <StateShape state={state} />
      <span>{t(`state.${state}` as Key)}</span>
    </span>
  );
}
