// What runs, what is wrong, why something waits, and how the loss is: each without a click.
import type { Event, Node } from "#types";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { ApiError, getJson } from "../../api/client";
import { resourceName, summaryOf, type Job } from "../../api/jobs";
import { corePath, scalarsPath } from "../../api/paths";
import { useCollection } from "../../api/useCollection";
import { usePolled } from "../../api/usePolled";
import { t, type Key } from "../../i18n";
import { chosenNamespace, hrefOf, withNamespace } from "../../lib/router";
import { formatDuration } from "../../lib/time";
import { now } from "../../ui/clock";
import { Failure } from "../../ui/Failure";
import { Age } from "../../ui/ObjectList";
import { Sparkline } from "../../ui/Sparkline";
import { StateShape, type State } from "../../ui/State";
import { foldEvents } from "../events/events";
import { ObjectLink } from "../events/ObjectLink";
import { curvesOf, type Scalars } from "../jobs/Curves";
import { jobHref, jobs, jobsState, kindOf, reloadJobs, watchJobs } from "../jobs/live";
import { causeOf, readyText, stateOf } from "../jobs/model";
import { useActivePods, useNodeMetrics } from "../nodes/live";
import { NodeBars } from "../nodes/NodeBars";
import { failedSince, lossCurve, running, waiting } from "./model";

const most = 8;
const lossEvery = 10_000;
const jobsHref = (query: Record<string, string>) => hrefOf(["jobs"], withNamespace(query));

function Card({ title, more, children }: { title: string; more?: ComponentChildren; children: ComponentChildren }) {
  return <section class="card"><h2 class="card-title">{title}<span class="spacer" />{more}</h2>{children}</section>;
}

function Counts({ all }: { all: Job[] }) {
  const states: State[] = ["Running", "Pending", "Paused", "Restarting", "Succeeded", "Failed", "Stopped"];
  return (
    <ul class="counts">
      {states.map((state) => (
        <li key={state}>
          <a href={jobsHref({ phase: state })}><strong>{all.filter((job) => stateOf(job) === state).length}</strong> <StateShape state={state} /> {t(`state.${state}` as Key)}</a>
        </li>
      ))}
    </ul>
  );
}

function JobName({ job }: { job: Job }) {
  return <span class="name-cell"><StateShape state={stateOf(job)} /><a class="object" href={jobHref(job)} title={job.metadata?.name}>{job.metadata?.name}</a></span>;
}

function Needs({ all }: { all: Job[] }) {
  const wanted = [...failedSince(all, now.value), ...waiting(all)];
  return (
    <Card title={t("overview.needs")} more={wanted.length > most && <a href={jobsHref({ phase: "Failed" })}>{t("overview.all", { count: wanted.length })}</a>}>
      {wanted.length === 0 ? <p class="quiet">{t("overview.nothing")}</p> : (
        <ul class="needs">
          {wanted.slice(0, most).map((job) => (
            <li key={job.metadata?.uid}>
              <JobName job={job} /><span class="quiet"><Age of={summaryOf(job).completionTime ?? job.metadata?.creationTimestamp} /></span>
              <p class={stateOf(job) === "Failed" ? "cause bad" : "cause"}>{causeOf(job)}</p>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function Machine() {
  const live = useCollection<Node>(corePath("nodes"));
  const active = useActivePods();
  const metrics = useNodeMetrics();
  const nodes = [...live.items.value.values()];
  const failed = [live.state.value, active.state.value].find((one) => one.state === "failed");
  return (
    <Card title={t(nodes.length > 1 ? "overview.machines" : "overview.machine")} more={<a href={hrefOf(["nodes"], withNamespace())}>{t("nodes.title")}</a>}>
      {failed?.state === "failed" && <Failure error={failed.error} onRetry={live.reload} />}
      {metrics.error && <p class="quiet">{t("nodes.notMeasured")} {metrics.error.message}</p>}
      {nodes.map((node) => (
        <div key={node.metadata?.uid} class="machine">
          <a class="object" href={hrefOf(["nodes", node.metadata?.name ?? ""], withNamespace())}>{node.metadata?.name}</a>
          <NodeBars node={node} pods={[...active.items.value.values()]} metrics={metrics.value?.find((one) => one.metadata?.name === node.metadata?.name)} />
        </div>
      ))}
    </Card>
  );
}

/** The curve of the loss, for jobs that log one. */
function Loss({ job }: { job: Job }) {
  const kind = kindOf(job);
  const name = job.metadata?.name ?? "";
  const path = scalarsPath(job.metadata?.namespace ?? "", kind ? resourceName(kind) : "", name);
  const read = () => getJson<Scalars>(path).catch((error: unknown) => {
    // A job without logs has no curve.
    if (error instanceof ApiError && error.code === 404) return { runs: [] };
    throw error;
  });
  const curve = lossCurve(curvesOf(usePolled(path, read, lossEvery).value ?? { runs: [] }));
  const last = curve?.points[curve.points.length - 1]?.value;
  if (!curve || last === undefined) return null;
  const value = last.toPrecision(4);
  return <span class="loss"><Sparkline label={t("overview.loss", { name, tag: curve.title, value })} points={curve.points} /> {value}</span>;
}

function Running({ all }: { all: Job[] }) {
  const found = running(all);
  return (
    <Card title={t("overview.running")} more={found.length > most && <a href={jobsHref({ phase: "Running" })}>{t("overview.all", { count: found.length })}</a>}>
      {found.length === 0 ? <p class="quiet">{t("overview.nothingRuns")}</p> : (
        <ul class="running">
          {found.slice(0, most).map((job) => (
            <li key={job.metadata?.uid}>
              <JobName job={job} /><span class="quiet not-phone">{job.kind}</span><span>{readyText(job)}</span><Loss job={job} />
              <span class="quiet numeric">{formatDuration(now.value - Date.parse(summaryOf(job).startTime ?? ""))}</span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function LatestEvents({ ns }: { ns: string }) {
  const live = useCollection<Event>(corePath("events", ns));
  const events = foldEvents([...live.items.value.values()]).slice(0, most);
  const state = live.state.value;
  return (
    <Card title={t("overview.events")} more={<a href={hrefOf(["events"], withNamespace())}>{t("overview.allEvents")}</a>}>
      {state.state === "failed" && <Failure error={state.error} onRetry={live.reload} />}
      {events.length === 0 && state.state === "live" && <p class="quiet">{t("job.noEvents")}</p>}
      <ul class="needs">
        {events.map((event) => (
          <li key={event.metadata.uid}>
            <ObjectLink about={event.involvedObject} /><span class="quiet"><Age of={event.lastTimestamp} /></span>
            <p class={event.type === "Warning" ? "cause" : "cause plain"}>{event.reason}: {event.message}{(event.count ?? 1) > 1 && <span class="count">{t("event.times", { count: event.count ?? 1 })}</span>}</p>
          </li>
        ))}
      </ul>
    </Card>
  );
}

export default function OverviewPage() {
  const ns = chosenNamespace();
  useEffect(() => void watchJobs(ns), [ns]);
  const all = jobs.value;
  const state = jobsState.value;
  if (state.state === "loading" && all.length === 0) return <><h1 class="title-row">{t("overview.title")}</h1><div class="skeleton" aria-hidden="true"><i /><i /><i /></div></>;
  return (
    <>
      <div class="title-row"><h1>{t("overview.title")}</h1></div>
      {state.state === "failed" && <Failure error={state.error} onRetry={reloadJobs} />}
      {state.state === "live" && all.length === 0
        ? <div class="empty card"><p>{t("overview.firstJob")}</p><pre class="command">muster create -f job.yaml</pre><p><a href={jobsHref({})}>{t("error.toJobs")}</a></p></div>
        : <Counts all={all} />}
      <div class="overview">
        <div class="cards"><Needs all={all} /><Running all={all} /></div>
        <div class="cards"><Machine /><LatestEvents ns={ns} /></div>
      </div>
    </>
  );
}
