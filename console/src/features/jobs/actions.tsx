// What can be done to a job, and the dialog before what cannot be undone.
import { signal } from "@preact/signals";
import { ApiError, send } from "../../api/client";
import { actOn } from "../../api/jobRequests";
import { collectionPath, type Job } from "../../api/jobs";
import { objectPath } from "../../api/paths";
import { t } from "../../i18n";
import { Button } from "../../ui/Button";
import { FormDialog } from "../../ui/FormDialog";
import type { MenuItem } from "../../ui/Menu";
import { showToast, toastFailure } from "../../ui/toast";
import { kindOf } from "./live";
import { canPause, canResume, canStop, stateOf } from "./model";
import { otherActions, ScaleDialog } from "./otherActions";

const deleting = signal<Job[]>([]);
const stopping = signal<Job | undefined>(undefined);

function pathOf(job: Job): string {
  const kind = kindOf(job);
  return kind ? objectPath(collectionPath(kind, job.metadata?.namespace ?? ""), job.metadata?.name ?? "") : "";
}

export function act(job: Job, verb: "pause" | "resume"): void {
  const kind = kindOf(job);
  if (kind) void toastFailure(actOn(job, kind, verb));
}

export function jobActions(job: Job): MenuItem[] {
  const items: MenuItem[] = [];
  if (canResume(job)) items.push({ label: t("action.resume"), onSelect: () => act(job, "resume") });
  if (canPause(job)) items.push({ label: t("action.pause"), onSelect: () => act(job, "pause") });
  items.push(...otherActions(job));
  if (canStop(job)) items.push({ label: t("action.stop"), danger: true, onSelect: () => (stopping.value = job) });
  if (stateOf(job) !== "Deleting") items.push({ label: t("action.delete"), danger: true, onSelect: () => (deleting.value = [job]) });
  return items;
}

/** A job that was already deleted is not a failure: when several are deleted, one may be requested twice. */
async function deleteJob(job: Job): Promise<void> {
  await send("DELETE", pathOf(job)).catch((error: unknown) => {
    if (!(error instanceof ApiError && error.code === 404)) throw error;
  });
}

const namesShown = 10;

function DeleteDialog() {
  const jobs = deleting.value;
  if (jobs.length === 0) return null;
  const [name = "", ...others] = jobs.map((job) => job.metadata?.name ?? "");
  const remove = async () => {
    await Promise.all(jobs.map(deleteJob));
    showToast(others.length ? t("bulk.deleted", { count: jobs.length }) : t("action.deleted", { name }));
  };
  return (
    <FormDialog title={others.length ? t("bulk.deleteTitle", { count: jobs.length }) : t("action.deleteTitle", { name })} danger
      action={others.length ? t("bulk.delete", { count: jobs.length }) : t("action.delete")} onSubmit={remove} onClose={() => (deleting.value = [])}>
      {others.length > 0 && <ul class="names">{[name, ...others].slice(0, namesShown).map((one) => <li key={one} class="object">{one}</li>)}</ul>}
      {jobs.length > namesShown && <p>{t("bulk.andMore", { count: jobs.length - namesShown })}</p>}
      <p>{t(others.length ? "bulk.deleteText" : "action.deleteText")}</p>
    </FormDialog>
  );
}

function StopDialog() {
  const job = stopping.value;
  const kind = job && kindOf(job);
  if (!kind) return null;
  const name = job.metadata?.name ?? "";
  const stop = async () => {
    await actOn(job, kind, "stop");
    showToast(t("action.stopped", { name }));
  };
  return (
    <FormDialog title={t("action.stopTitle", { name })} danger action={t("action.stop")} onSubmit={stop} onClose={() => (stopping.value = undefined)}>
      <p>{t("action.stopText")}</p>
    </FormDialog>
  );
}

/** The dialogs of all actions, for the pages that offer them. */
export const JobDialogs = () => <><DeleteDialog /><StopDialog /><ScaleDialog /></>;

/** What can be done to all jobs that are ticked; each button says to how many. */
export function BulkActions({ chosen, onClear }: { chosen: Job[]; onClear: () => void }) {
  if (chosen.length === 0) return null;
  const running = chosen.filter(canPause);
  const paused = chosen.filter(canResume);
  return (
    <div class="notice" role="group" aria-label={t("bulk.chosen", { count: chosen.length })}>
      <span>{t("bulk.chosen", { count: chosen.length })}</span>
      {running.length > 0 && <Button onClick={() => running.forEach((job) => act(job, "pause"))}>{t("bulk.pause", { count: running.length })}</Button>}
      {paused.length > 0 && <Button onClick={() => paused.forEach((job) => act(job, "resume"))}>{t("bulk.resume", { count: paused.length })}</Button>}
      <Button kind="danger" onClick={() => (deleting.value = chosen)}>{t("bulk.delete", { count: chosen.length })}</Button>
      <span class="spacer" />
      <button type="button" class="text-button" onClick={onClear}>{t("bulk.clear")}</button>
    </div>
  );
}
