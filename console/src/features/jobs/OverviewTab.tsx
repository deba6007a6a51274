// The first tab: what the job is, its conditions and its events.
import type { Pod, TensorBoard } from "#types";
import { useState } from "preact/hooks";
import { conditionsOf, summaryOf, type Job } from "../../api/jobs";
import { useObject } from "../../api/useCollection";
import { t } from "../../i18n";
import { hrefOf, withNamespace } from "../../lib/router";
import { fullTime } from "../../lib/time";
import { Conditions } from "../../ui/Conditions";
import { Facts, type Fact } from "../../ui/Facts";
import { StateWord } from "../../ui/State";
import { Events } from "../events/EventTable";
import { canOpen, openServed, servedPath, stateOf } from "../served/served";
import * as model from "./model";

function TensorBoardFact({ ns, name }: { ns: string; name: string }) {
  const served = useObject<TensorBoard>(servedPath("tensorboards", ns), name).object;
  const state = stateOf(served);
  const word = <StateWord state={state} />;
  return canOpen(served)
    ? <button type="button" class="link" aria-label={`${t("job.openTensorboard")}: ${state}`} onClick={() => void openServed("tensorboards", ns, name)}>{word}</button>
    : word;
}

function Basics({ job }: { job: Job }) {
  const { roles, claims = [], restarts, tensorboard, startTime, completionTime } = summaryOf(job);
  const labels = model.labelsOf(job);
  const facts: Fact[] = [
    { label: t("job.name"), value: <span class="object">{job.metadata?.name}</span> },
    { label: t("job.status"), value: <StateWord state={model.stateOf(job)} /> },
    { label: t("job.replicas"), value: roles.map((role) => (
      <div key={role.name}>{role.name}: {role.processes > 1 ? t("job.processes", { n: role.replicas, processes: role.processes }) : role.replicas}</div>)) },
    { label: t("job.volumes"), value: claims.map((claim) => (
      <a key={claim} class="object" href={hrefOf(["volumes", job.metadata?.namespace ?? "", claim], withNamespace())}>{claim}</a>)) },
    { label: t("job.cpu"), value: model.cpuText(model.cpuOf(job)) },
    { label: t("job.memory"), value: model.memoryText(model.memoryOf(job)) },
    { label: t("job.project"), value: job.metadata?.namespace },
    { label: t("job.labels"), value: labels.length ? labels.map((label) => <code key={label}>{label}</code>) : "-" },
    { label: t("job.created"), value: fullTime(job.metadata?.creationTimestamp) },
    { label: t("job.started"), value: fullTime(startTime) },
    { label: t("job.ended"), value: fullTime(completionTime) },
    { label: t("job.restarts"), value: restarts },
    { label: t("job.uid"), value: <code>{job.metadata?.uid}</code> },
  ];
  if (tensorboard) facts.splice(2, 0, { label: t("job.tensorboard"), value: <TensorBoardFact ns={job.metadata?.namespace ?? ""} name={tensorboard} /> });
  return <section class="card"><h2>{t("job.basics")}</h2><Facts facts={facts} /></section>;
}

export function OverviewTab({ job, pods }: { job: Job; pods: Pod[] }) {
  const [detailed, setDetailed] = useState(false);
  const about = new Set([job.metadata?.uid ?? "", ...(detailed ? pods.map((pod) => pod.metadata?.uid ?? "") : [])]);
  return (
    <div class="cards">
      <Basics job={job} />
      <section class="card"><h2>{t("job.conditions")}</h2><Conditions conditions={conditionsOf(job)} /></section>
      <section class="card">
        <h2>{t("job.events")}</h2>
        <label class="check"><input type="checkbox" checked={detailed} onChange={(event) => setDetailed(event.currentTarget.checked)} /> {t("job.detailedEvents")}</label>
        <Events ns={job.metadata?.namespace ?? ""} about={about} {...(detailed ? {} : { name: job.metadata?.name ?? "" })} />
      </section>
    </div>
  );
}
