// Scale, run again and clone, as muster scale and muster rerun do it.
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { ApiError, mergePatch, postJson } from "../../api/client";
import { freshCopy, nextName } from "../../api/copy";
import { collectionPath, resourceName, type Job } from "../../api/jobs";
import { t } from "../../i18n";
import { go, hrefOf, withNamespace } from "../../lib/router";
import { Field } from "../../ui/Field";
import { FormDialog } from "../../ui/FormDialog";
import type { MenuItem } from "../../ui/Menu";
import { showToast, toastFailure } from "../../ui/toast";
import { jobHref, kindOf } from "./live";
import { stateOf } from "./model";

const scaling = signal<{ job: Job; path: string } | undefined>(undefined);

interface Elastic {
  minReplicas?: number;
  maxReplicas?: number;
  expectedReplicas?: number;
}

/** The limits within which the job's replicas may change in number; undefined for a job that is not elastic. */
function elasticOf(job: Job): Elastic | undefined {
  const spec = job.spec as { elastic?: Elastic & { enabled?: boolean }; elasticPolicy?: Elastic };
  return spec.elastic?.enabled ? spec.elastic : spec.elasticPolicy;
}

/** Kubeflow's elastic jobs have a scale of their own, TensorStack's a number in their spec. */
const scaleJob = (job: Job, path: string, replicas: number) =>
  "elasticPolicy" in job.spec ? mergePatch(`${path}/scale`, { spec: { replicas } }) : mergePatch(path, { spec: { elastic: { expectedReplicas: replicas } } });

export function cloneJob(job: Job): void {
  const kind = kindOf(job);
  if (kind) go(hrefOf(["create", resourceName(kind)], withNamespace({ from: `${job.metadata?.namespace}/${job.metadata?.name}` })));
}

/** The same job once more, under the next free name; its page is opened. */
async function rerunJob(job: Job): Promise<void> {
  const kind = kindOf(job);
  if (!kind) return;
  for (let name = nextName(job.metadata?.name ?? ""); ; name = nextName(name)) {
    try {
      const made = await postJson<Job>(collectionPath(kind, job.metadata?.namespace ?? ""), freshCopy(job, name));
      showToast(t("action.rerunDone", { name }));
      return go(jobHref(made));
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason !== "AlreadyExists") throw error;
    }
  }
}

export function otherActions(job: Job, path: string): MenuItem[] {
  const canScale = elasticOf(job) !== undefined && !["Succeeded", "Failed", "Deleting"].includes(stateOf(job));
  return [
    ...(canScale ? [{ label: t("action.scale"), onSelect: () => void (scaling.value = { job, path }) }] : []),
    { label: t("action.rerun"), onSelect: () => void toastFailure(rerunJob(job)) },
    { label: t("action.clone"), onSelect: () => cloneJob(job) },
  ];
}

function ScaleForm({ job, path, close }: { job: Job; path: string; close: () => void }) {
  const limits = elasticOf(job) ?? {};
  const [replicas, setReplicas] = useState(String(limits.expectedReplicas ?? limits.minReplicas ?? 1));
  return (
    <FormDialog title={t("action.scaleTitle", { name: job.metadata?.name ?? "" })} action={t("action.scale")} blocked={!/^\d+$/.test(replicas.trim())}
      onSubmit={() => scaleJob(job, path, Number(replicas))} onClose={close}>
      <Field label={t("create.replicas")} value={replicas} onInput={setReplicas} help={t("action.scaleHelp", { least: limits.minReplicas ?? 1, most: limits.maxReplicas ?? "∞" })} />
    </FormDialog>
  );
}

export function ScaleDialog() {
  const wanted = scaling.value;
  return wanted ? <ScaleForm {...wanted} close={() => (scaling.value = undefined)} /> : null;
}
