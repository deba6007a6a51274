// What can be done to a job, and the dialog before what cannot be undone.
import { signal } from "@preact/signals";
import { ApiError, mergePatch, send } from "../../api/client";
import { collectionPath, type Job } from "../../api/jobs";
import { t } from "../../i18n";
import { Button } from "../../ui/Button";
import { FormDialog } from "../../ui/FormDialog";
import type { MenuItem } from "../../ui/Menu";
import { showToast, toastFailure } from "../../ui/toast";
import { kindOf } from "./live";
import { stateOf } from "./model";
import { otherActions } from "./otherActions";

const deleting = signal<Job[]>([]);

function pathOf(job: Job): string {
  const kind = kindOf(job);
  return kind ? `${collectionPath(kind, job.metadata?.namespace ?? "")}/${encodeURIComponent(job.metadata?.name ?? "")}` : "";
}

/** Kubeflow's kinds suspend, TensorStack's pause. */
function pausePatch(job: Job, paused: boolean): unknown {
  return job.apiVersion.startsWith("kubeflow.org/") ? { spec: { runPolicy: { suspend: paused } } } : { spec: { runMode: { pause: { enabled: paused } } } };
}

export const pauseJob = (job: Job, paused: boolean) => toastFailure(mergePatch(pathOf(job), pausePatch(job, paused)));

export function jobActions(job: Job): MenuItem[] {
  const state = stateOf(job);
  const items: MenuItem[] = [];
  if (state === "Paused") items.push({ label: t("action.resume"), onSelect: () => void pauseJob(job, false) });
  if (canPause(job)) items.push({ label: t("action.pause"), onSelect: () => void pauseJob(job, true) });
  items.push(...otherActions(job, pathOf(job)));
  if (state !== "Deleting") items.push({ label: t("action.delete"), danger: true, onSelect: () => (deleting.value = [job]) });
  return items;
}

/** A job that is gone already is no failure: several are deleted, one after the other may be asked for again. */
async function deleteJob(job: Job): Promise<void> {
  await send("DELETE", pathOf(job)).catch((error: unknown) => {
    if (!(error instanceof ApiError && error.code === 404)) throw error;
  });
}

const namesShown = 10;

export function DeleteDialog() {
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

const canPause = (job: Job) => ["Running", "Pending"].includes(stateOf(job));

/** What can be done to all jobs that are ticked; each button says to how many. */
export function BulkActions({ chosen, onClear }: { chosen: Job[]; onClear: () => void }) {
  if (chosen.length === 0) return null;
  const running = chosen.filter(canPause);
  const paused = chosen.filter((job) => stateOf(job) === "Paused");
  const pauseAll = (jobs: Job[], value: boolean) => void Promise.all(jobs.map((job) => pauseJob(job, value)));
  return (
    <div class="notice" role="group" aria-label={t("bulk.chosen", { count: chosen.length })}>
      <span>{t("bulk.chosen", { count: chosen.length })}</span>
      {running.length > 0 && <Button onClick={() => pauseAll(running, true)}>{t("bulk.pause", { count: running.length })}</Button>}
      {paused.length > 0 && <Button onClick={() => pauseAll(paused, false)}>{t("bulk.resume", { count: paused.length })}</Button>}
      <Button kind="danger" onClick={() => (deleting.value = chosen)}>{t("bulk.delete", { count: chosen.length })}</Button>
      <span class="spacer" />
      <button type="button" class="text-button" onClick={onClear}>{t("bulk.clear")}</button>
    </div>
  );
}
