// Pages that programs in pods serve: TensorBoards and notebooks. They have a port of their own, so that a browser keeps their
// scripts away from the console.
import type { Notebook, PageStatus, TensorBoard } from "#types";
import { mergePatch, postJson } from "../../api/client";
import { groupPath, objectPath, ownPath } from "../../api/paths";
import type { State } from "../../ui/State";
import { toastFailure } from "../../ui/toast";

export type Served = TensorBoard | Notebook;
export type ServedPlural = "tensorboards" | "notebooks";

export const servedPath = (plural: ServedPlural, ns: string) => groupPath("tensorstack.dev", "v1beta1", plural, ns);

const states: Record<NonNullable<PageStatus["phase"]>, State> = { Initializing: "Starting", Running: "Running", Suspended: "Paused", Failed: "Failed" };

export function stateOf(served: Pick<Served, "metadata" | "status"> | undefined): State {
  if (served?.metadata?.deletionTimestamp) return "Deleting";
  return states[served?.status?.phase ?? "Initializing"] ?? "Unknown";
}

/** Whether a click opens the page: it runs, or it has stopped for want of visitors and starts again with one. */
export function canOpen(served: Pick<Served, "metadata" | "status"> | undefined): boolean {
  const isIdle = served?.status?.conditions?.some((one) => one.type === "Idle" && one.status === "True") ?? false;
  return stateOf(served) === "Running" || (stateOf(served) === "Paused" && isIdle);
}

/** Why it does not run; "" when it does, and when it was told not to. */
export function causeOf(served: Served): string {
  if (!["Starting", "Failed"].includes(stateOf(served))) return "";
  return served.status?.conditions?.find((one) => one.type === "Ready" && one.status !== "True")?.message ?? "";
}

export const pathOf = (plural: ServedPlural, served: Served) => objectPath(servedPath(plural, served.metadata?.namespace ?? ""), served.metadata?.name ?? "");

export const suspend = (plural: ServedPlural, served: Served, suspended: boolean) => toastFailure(mergePatch(pathOf(plural, served), { spec: { suspend: suspended } }));

/** Opens the page in a tab of its own. The link is good for one browser, once, so it is asked for when it is needed. */
export async function openServed(plural: ServedPlural, ns: string, name: string): Promise<void> {
  // Only a tab that a click opens is let through.
  const tab = window.open("about:blank", "_blank");
  await toastFailure(
    postJson<{ url: string }>(`${objectPath(ownPath(plural, ns), name)}/link`, {}).then(
      (link) => {
        if (tab) tab.location.href = link.url;
      },
      (problem: unknown) => {
        tab?.close();
        throw problem;
      },
    ),
  );
}
