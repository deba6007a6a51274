// One job: its state and the one sentence that matters on top, and tabs below.
import type { Event, Pod } from "#types";
import { useEffect, useMemo } from "preact/hooks";
import { watchCollection } from "../../api/collection";
import { collectionPath, resourceName, summaryOf, type Job, type JobKind } from "../../api/jobs";
import { corePath, scalarsPath } from "../../api/paths";
import { useCollection } from "../../api/useCollection";
import { t } from "../../i18n";
import { place } from "../../lib/router";
import { formatDuration } from "../../lib/time";
import { Button } from "../../ui/Button";
import { now } from "../../ui/clock";
import { Failure } from "../../ui/Failure";
import { Menu } from "../../ui/Menu";
import { StateWord } from "../../ui/State";
import { Tabs, type Tab } from "../../ui/Tabs";
import { act, JobDialogs, jobActions } from "./actions";
import { lastOfEach, type JobPods } from "./history";
import { useJobPods, useWithPast } from "./jobPods";
import { kinds, loadKinds, members } from "./live";
import { LogsTab } from "./LogsTab";
import { MetricsTab } from "../pods/MetricsTab";
import { marksOf } from "./marks";
import * as model from "./model";
import { cloneJob } from "./otherActions";
import { OverviewTab } from "./OverviewTab";
import { ReplicasTab } from "./ReplicasTab";
import { orderPods } from "./replicas";
import { YamlTab } from "./YamlTab";

/** "2 m 14 s": how long the job has run, or ran. */
function Elapsed({ job }: { job: Job }) {
  const { startTime = "", completionTime = "" } = summaryOf(job);
  const start = Date.parse(startTime);
  const end = Date.parse(completionTime);
  if (Number.isNaN(start)) return null;
  return <span class="quiet">{formatDuration((Number.isNaN(end) ? now.value : end) - start)}</span>;
}

function TitleRow({ job, gone }: { job: Job; gone: boolean }) {
  const state = model.stateOf(job);
  return (
    <div class="title-row">
      <h1 class="object">{job.metadata?.name}</h1>
      <StateWord state={state} />
      <Elapsed job={job} />
      {!gone && <span class="title-actions">
        {state === "Running" && model.canPause(job) && <Button onClick={() => act(job, "pause")}>{t("action.pause")}</Button>}
        {model.canResume(job) && <Button onClick={() => act(job, "resume")}>{t("action.resume")}</Button>}
        <Button onClick={() => cloneJob(job)}>{t("action.clone")}</Button>
        <Menu label={t("action.more", { name: job.metadata?.name ?? "" })} items={() => jobActions(job)} />
      </span>}
    </div>
  );
}

function JobMetrics({ job, pods, earlier, scalars }: { job: Job; pods: Pod[]; earlier: Pod[]; scalars: string }) {
  const ns = job.metadata?.namespace ?? "";
  const events = useCollection<Event>(corePath("events", ns), { fields: `involvedObject.name=${job.metadata?.name}` });
  return (
    <MetricsTab ns={ns} pods={pods} earlier={earlier} state={model.stateOf(job)} cpu={model.cpuOf(job)} memory={model.memoryOf(job)} scalars={scalars}
      started={summaryOf(job).startTime} ended={summaryOf(job).completionTime} marks={marksOf(job, pods, [...events.items.value.values()])} />
  );
}

/** Says what limits have taken of the job's history. */
function Removed({ known }: { known: JobPods | undefined }) {
  return known && known.removed > 0 ? <p class="notice" role="status">{t("job.removed", { count: known.removed })}</p> : null;
}

/** A job that is deleted, of which logs and measurements are kept. */
function DeletedPage({ ns, kind, name, known }: { ns: string; kind: JobKind; name: string; known: JobPods }) {
  const { last, earlier } = useMemo(() => lastOfEach([], known.items.map(({ pod, hasLog }) => ({ ...pod, past: { hasLog } }))), [known]);
  const job: Job = { apiVersion: `${kind.group}/${kind.version}`, kind: kind.kind, metadata: { name, namespace: ns, uid: known.metadata.uid } };
  const path = ["jobs", ns, resourceName(kind), name];
  const chosen = place.value.query.get("tab") ?? "";
  const tabs: Tab[] = [{ id: "", label: t("tab.replicas"), count: last.length }, { id: "logs", label: t("tab.logs") }, { id: "metrics", label: t("tab.metrics") }];
  return (
    <>
      <div class="title-row"><h1 class="object">{name}</h1></div>
      <p class="notice" role="status">{t(known.others.length > 0 ? "job.deletedNewest" : "job.deleted", { count: known.others.length })}</p>
      <Removed known={known} />
      <Tabs tabs={tabs} chosen={chosen} path={path} />
      {chosen === "" && <ReplicasTab job={job} pods={last} path={path} />}
      {chosen === "logs" && <LogsTab ns={ns} job={job} pods={last} />}
      {chosen === "metrics" && <JobMetrics job={job} pods={last} earlier={earlier} scalars="" />}
    </>
  );
}

const noPods: Pod[] = [];

function LivePage({ ns, kind, name }: { ns: string; kind: JobKind; name: string }) {
  const live = useMemo(() => watchCollection<Job>(collectionPath(kind, ns), { fields: `metadata.name=${name}`, members: [...members, "status.conditions"] }), []);
  const pods = useMemo(
    () => watchCollection<Pod>(`/api/v1/namespaces/${encodeURIComponent(ns)}/pods`, { labels: `scheduler.tensorstack.dev/group-name=${name}` }),
    [],
  );
  useEffect(() => () => {
    live.close();
    pods.close();
  }, []);
  const job = [...live.items.value.values()][0];
  const last = useMemo<{ job?: Job }>(() => ({}), []);
  if (job) last.job = job;
  const existing = useMemo(() => (last.job ? orderPods(last.job, [...pods.items.value.values()]) : noPods), [last.job, pods.items.value]);
  const { known, asked } = useJobPods(ns, resourceName(kind), name, last.job ? `${last.job.metadata?.uid} ${model.stateOf(last.job)}` : "");
  const all = useWithPast(last.job?.metadata?.uid ?? "", existing, known);
  const ordered = useMemo(() => (last.job ? orderPods(last.job, all.last) : noPods), [last.job, all]);
  const state = live.state.value;
  const path = ["jobs", ns, resourceName(kind), name];
  const chosen = place.value.query.get("tab") ?? "";

  if (!last.job) {
    if (state.state === "failed") return <Failure error={state.error} onRetry={live.reload} />;
    if (state.state === "live" && known && !known.exists) return <DeletedPage ns={ns} kind={kind} name={name} known={known} />;
    if (state.state === "live" && asked) return <p class="empty">{t("job.notFound", { name, ns })}</p>;
    return <div class="skeleton" aria-hidden="true"><i /><i /><i /></div>;
  }
  const shown = last.job;
  const tabs: Tab[] = [
    { id: "", label: shown.kind }, { id: "replicas", label: t("tab.replicas"), count: ordered.length }, { id: "logs", label: t("tab.logs") },
    { id: "metrics", label: t("tab.metrics") }, { id: "yaml", label: t("tab.yaml") },
  ];
  const cause = model.causeOf(shown);
  return (
    <>
      <TitleRow job={shown} gone={!job} />
      {!job && <p class="notice" role="status">{t("job.gone")}</p>}
      {cause && <p class={`truth ${model.stateOf(shown) === "Failed" ? "bad" : ""}`}>{cause}</p>}
      {state.state === "failed" && <Failure error={state.error} onRetry={live.reload} />}
      <Removed known={known?.metadata.uid === shown.metadata?.uid ? known : undefined} />
      <Tabs tabs={tabs} chosen={chosen} path={path} />
      {chosen === "" && <OverviewTab job={shown} pods={ordered} />}
      {chosen === "replicas" && <ReplicasTab job={shown} pods={ordered} path={path} />}
      {chosen === "logs" && <LogsTab ns={ns} job={shown} pods={ordered} />}
      {chosen === "metrics" && <JobMetrics job={shown} pods={ordered} earlier={all.earlier} scalars={scalarsPath(ns, resourceName(kind), name)} />}
      {chosen === "yaml" && <YamlTab label={name} path={`${collectionPath(kind, ns)}/${encodeURIComponent(name)}`} revision={shown.metadata?.resourceVersion ?? ""} editable />}
      <JobDialogs />
    </>
  );
}

export function JobPage({ ns, resource, name }: { ns: string; resource: string; name: string }) {
  useEffect(() => void loadKinds().catch(() => undefined), []);
  const kind = kinds.value.find((one) => resourceName(one) === resource);
  if (kind) return <LivePage ns={ns} kind={kind} name={name} />;
  if (kinds.value.length === 0) return <div class="skeleton" aria-hidden="true"><i /><i /><i /></div>;
  return <p class="empty">{t("job.notFound", { name, ns })}</p>;
}
