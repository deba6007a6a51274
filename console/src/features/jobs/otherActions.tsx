// Scale, run again and clone.
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { actOn } from "../../api/jobRequests";
import { resourceName, summaryOf, type Job, type JobKind } from "../../api/jobs";
import { t } from "../../i18n";
import { go, hrefOf, withNamespace } from "../../lib/router";
import { Field } from "../../ui/Field";
import { FormDialog } from "../../ui/FormDialog";
import type { MenuItem } from "../../ui/Menu";
import { showToast, toastFailure } from "../../ui/toast";
import { jobHref, kindOf } from "./live";
import { canScale } from "./model";

const scaling = signal<Job | undefined>(undefined);

export function cloneJob(job: Job): void {
  const kind = kindOf(job);
  if (kind) go(hrefOf(["create", resourceName(kind)], withNamespace({ from: `${job.metadata?.namespace}/${job.metadata?.name}` })));
}

/** The same job once more, under the next free name; its page is opened. */
async function rerunJob(job: Job): Promise<void> {
  const kind = kindOf(job);
  if (!kind) return;
  const { name = "" } = await actOn(job, kind, "rerun");
  showToast(t("action.rerunDone", { name }));
  go(jobHref({ ...job, metadata: { ...job.metadata, name } }));
}

export function otherActions(job: Job): MenuItem[] {
  return [
    ...(canScale(job) ? [{ label: t("action.scale"), onSelect: () => void (scaling.value = job) }] : []),
    { label: t("action.rerun"), onSelect: () => void toastFailure(rerunJob(job)) },
    { label: t("action.clone"), onSelect: () => cloneJob(job) },
  ];
}

function ScaleForm({ job, kind, close }: { job: Job; kind: JobKind; close: () => void }) {
  const { elastic = { least: 1, most: 1 }, replicas: { wanted } } = summaryOf(job);
  const [replicas, setReplicas] = useState(String(wanted));
  return (
    <FormDialog title={t("action.scaleTitle", { name: job.metadata?.name ?? "" })} action={t("action.scale")} blocked={!/^\d+$/.test(replicas.trim())}
      onSubmit={() => actOn(job, kind, "scale", { replicas: Number(replicas) })} onClose={close}>
      <Field label={t("create.replicas")} value={replicas} onInput={setReplicas} help={t("action.scaleHelp", elastic)} />
    </FormDialog>
  );
}

export function ScaleDialog() {
  const job = scaling.value;
  const kind = job && kindOf(job);
  return kind ? <ScaleForm job={job} kind={kind} close={() => (scaling.value = undefined)} /> : null;
}
