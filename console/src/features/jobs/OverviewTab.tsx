// The first tab: what the job is, its conditions and its events.
import type { ObjectReference, Pod, TensorBoard } from "#types";
import { useEffect, useMemo, useState } from "preact/hooks";
import { ApiError, postJson } from "../../api/client";
import { watchCollection } from "../../api/collection";
import type { Job } from "../../api/jobs";
import { t } from "../../i18n";
import { fullTime } from "../../lib/time";
import { Conditions } from "../../ui/Conditions";
import { Facts, type Fact } from "../../ui/Facts";
import { StateWord, type State } from "../../ui/State";
import { showToast } from "../../ui/toast";
import { Events } from "../events/EventTable";
import * as model from "./model";

/** The link is good for one browser, once; it is asked for when it is needed. */
async function openTensorBoard(ns: string, name: string): Promise<void> {
  const tab = window.open("about:blank", "_blank");
  try {
    const link = await postJson<{ url: string }>(`/apis/muster.dev/v1/namespaces/${encodeURIComponent(ns)}/tensorboards/${encodeURIComponent(name)}/link`, {});
    if (tab) tab.location.href = link.url;
  } catch (error) {
    tab?.close();
    showToast(error instanceof ApiError ? error.message : String(error));
  }
}

const boardStates: Record<string, State> = { Running: "Running", Pending: "Starting", Suspended: "Paused", Failed: "Failed" };

function TensorBoardFact({ ns, board }: { ns: string; board: ObjectReference }) {
  const name = board.name ?? "";
  const live = useMemo(
    () => watchCollection<TensorBoard>(`/apis/tensorstack.dev/v1beta1/namespaces/${encodeURIComponent(ns)}/tensorboards`, { fields: `metadata.name=${name}` }),
    [name],
  );
  useEffect(() => live.close, [live]);
  const phase = [...live.items.value.values()][0]?.status?.phase ?? "Pending";
  const word = <StateWord state={boardStates[phase] ?? "Unknown"} />;
  return phase === "Running"
    ? <button type="button" class="link" aria-label={`${t("job.openTensorboard")}: ${phase}`} onClick={() => void openTensorBoard(ns, name)}>{word}</button>
    : word;
}

function Basics({ job }: { job: Job }) {
  const processes = model.processesPerReplica(job);
  const board = (job.status as { tensorboard?: { dependent?: ObjectReference } } | undefined)?.tensorboard?.dependent;
  const restarts = (job.status as { backoffCount?: number } | undefined)?.backoffCount ?? 0;
  const labels = model.labelsOf(job);
  const facts: Fact[] = [
    { label: t("job.name"), value: <span class="object">{job.metadata?.name}</span> },
    { label: t("job.status"), value: <StateWord state={model.stateOf(job)} /> },
    { label: t("job.replicas"), value: model.rolesOf(job).map((role) => (
      <div key={role.name}>{role.name}: {processes > 1 ? t("job.processes", { n: role.replicas, processes }) : role.replicas}</div>)) },
    { label: t("job.volumes"), value: model.claimsOf(job).map((claim) => <code key={claim}>{claim}</code>) },
    { label: t("job.cpu"), value: model.cpuText(model.cpuOf(job)) },
    { label: t("job.memory"), value: model.memoryText(model.memoryOf(job)) },
    { label: t("job.project"), value: job.metadata?.namespace },
    { label: t("job.labels"), value: labels.length ? labels.map((label) => <code key={label}>{label}</code>) : "-" },
    { label: t("job.created"), value: fullTime(job.metadata?.creationTimestamp) },
    { label: t("job.started"), value: fullTime(job.status?.startTime) },
    { label: t("job.ended"), value: fullTime(job.status?.completionTime) },
    { label: t("job.restarts"), value: restarts },
    { label: t("job.uid"), value: <code>{job.metadata?.uid}</code> },
  ];
  if (board) facts.splice(2, 0, { label: t("job.tensorboard"), value: <TensorBoardFact ns={job.metadata?.namespace ?? ""} board={board} /> });
  return <section class="card"><h2>{t("job.basics")}</h2><Facts facts={facts} /></section>;
}

export function OverviewTab({ job, pods }: { job: Job; pods: Pod[] }) {
  const [detailed, setDetailed] = useState(false);
  const about = new Set([job.metadata?.uid ?? "", ...(detailed ? pods.map((pod) => pod.metadata?.uid ?? "") : [])]);
  return (
    <div class="cards">
      <Basics job={job} />
      <section class="card"><h2>{t("job.conditions")}</h2><Conditions conditions={job.status?.conditions ?? []} /></section>
      <section class="card">
        <h2>{t("job.events")}</h2>
        <label class="check"><input type="checkbox" checked={detailed} onChange={(event) => setDetailed(event.currentTarget.checked)} /> {t("job.detailedEvents")}</label>
        <Events ns={job.metadata?.namespace ?? ""} about={about} {...(detailed ? {} : { name: job.metadata?.name ?? "" })} />
      </section>
    </div>
  );
}
