// What can be done to a job, and the dialog before what cannot be undone.
import { signal } from "@preact/signals";
import { mergePatch, send } from "../../api/client";
import { collectionPath, type Job } from "../../api/jobs";
import { t } from "../../i18n";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import type { MenuItem } from "../../ui/Menu";
import { showToast, toastFailure } from "../../ui/toast";
import { kindOf } from "./live";
import { stateOf } from "./model";

const deleting = signal<Job | undefined>(undefined);

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
  if (state === "Running" || state === "Pending") items.push({ label: t("action.pause"), onSelect: () => void pauseJob(job, true) });
  if (state !== "Deleting") items.push({ label: t("action.delete"), danger: true, onSelect: () => (deleting.value = job) });
  return items;
}

export function DeleteDialog() {
  const job = deleting.value;
  if (!job) return null;
  const name = job.metadata?.name ?? "";
  const close = () => (deleting.value = undefined);
  const confirm = () => {
    close();
    void toastFailure(send("DELETE", pathOf(job)).then(() => showToast(t("action.deleted", { name }))));
  };
  return (
    <Dialog title={t("action.deleteTitle", { name })} onClose={close}>
      <p>{t("action.deleteText")}</p>
      <footer>
        <Button onClick={close}>{t("action.cancel")}</Button>
        <Button kind="danger" onClick={confirm}>{t("action.delete")}</Button>
      </footer>
    </Dialog>
  );
}
