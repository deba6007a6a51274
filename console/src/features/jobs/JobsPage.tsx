// Every job of the project in one live list.
import { useEffect, useMemo, useState } from "preact/hooks";
import { resourceName, type Job, type JobKind } from "../../api/jobs";
import { chosenNamespace, go, hrefOf, place, setQuery, withNamespace } from "../../lib/router";
import { t, type Key } from "../../i18n";
import { comparator, parseSort } from "../../lib/sort";
import { formatTime, zoneName } from "../../lib/time";
import { IconButton } from "../../ui/Button";
import { ColumnChooser, hiddenColumns } from "../../ui/ColumnChooser";
import { Failure } from "../../ui/Failure";
import { Icon } from "../../ui/Icon";
import { LabelFilter } from "../../ui/LabelFilter";
import { Menu } from "../../ui/Menu";
import { Age } from "../../ui/ObjectList";
import { Select } from "../../ui/Select";
import { SortSelect, sortLabel } from "../../ui/SortSelect";
import { StateShape } from "../../ui/State";
import { Table, type Column } from "../../ui/Table";
import { BulkActions, JobDialogs, jobActions } from "./actions";
import { firstJobs, jobHref, jobs, jobsState, kinds, reloadJobs, watchJobs } from "./live";
import * as model from "./model";

const states = ["Pending", "Running", "Restarting", "Paused", "Succeeded", "Failed", "Stopped", "Deleting"];

function Labels({ job }: { job: Job }) {
  const labels = model.labelsOf(job);
  return <span class="labels" title={labels.join("\n")}>{labels.length ? labels.map((label) => <code key={label}>{label}</code>) : "-"}</span>;
}

function allColumns(): Column<Job>[] {
  const name = (job: Job) => (
    <span class="name-cell">
      <StateShape state={model.stateOf(job)} />
      <a class="object" href={jobHref(job)} title={job.metadata?.name}>{job.metadata?.name}</a>
    </span>
  );
  return [
    { key: "name", title: t("column.name"), cell: name, width: "minmax(min(160px, 30vw), 3fr)" },
    { key: "state", title: t("column.state"), cell: (job) => t(`state.${model.stateOf(job)}` as Key), width: "80px" },
    { key: "project", title: t("column.project"), cell: (job) => job.metadata?.namespace, width: "minmax(64px, 1fr)", hidden: "phone" },
    { key: "type", title: t("column.type"), cell: (job) => job.kind, width: "minmax(150px, 1fr)", hidden: "phone" },
    { key: "replicas", title: t("column.replicas"), cell: model.readyText, width: "60px", numeric: true, hidden: "tablet" },
    { key: "cpu", title: t("column.cpu"), cell: (job) => model.cpuText(model.cpuOf(job)), width: "108px", numeric: true, hidden: "tablet" },
    { key: "memory", title: t("column.memory"), cell: (job) => model.memoryText(model.memoryOf(job)), width: "144px", numeric: true, hidden: "phone" },
    { key: "labels", title: t("column.labels"), cell: (job) => <Labels job={job} />, width: "minmax(100px, 1fr)", hidden: "tablet" },
    { key: "queue", title: t("column.queue"), cell: (job) => model.queueOf(job) || "-", width: "100px", hidden: "tablet" },
    { key: "created", title: t("column.created"), cell: (job) => formatTime(job.metadata?.creationTimestamp), width: "148px", hidden: "phone" },
    { key: "age", title: t("column.age"), cell: (job) => <Age of={job.metadata?.creationTimestamp} />, width: "56px", numeric: true, hidden: "phone" },
    { key: "actions", title: t("column.actions"), width: "56px",
      cell: (job) => <Menu label={t("action.more", { name: job.metadata?.name ?? "" })} items={() => [
        { label: t("action.yaml"), onSelect: () => go(jobHref(job, { tab: "yaml" })) }, ...jobActions(job)]} /> },
  ];
}

const hiddenByDefault = "labels,queue,created";

/** "PyTorch" for PyTorchTrainingJob, as the tutorials say; Kubeflow's kinds keep their names. */
const menuLabel = (kind: JobKind) => (kind.group === "kubeflow.org" ? `${kind.kind} (Kubeflow)` : kind.kind.replace(/(?:Training)?Job$/, ""));

function CreateMenu() {
  return (
    <details class="chooser">
      <summary class="button primary">{t("jobs.create")}</summary>
      <div class="menu">
        {kinds.value.map((kind) => <a key={resourceName(kind)} href={hrefOf(["create", resourceName(kind)], withNamespace())}>{menuLabel(kind)}</a>)}
      </div>
    </details>
  );
}

interface Chip {
  parameter: string;
  label: string;
}

function Chips({ chips }: { chips: Chip[] }) {
  if (chips.length === 0) return null;
  return (
    <div class="chips" role="group" aria-label={t("jobs.filters")}>
      <span>{t("jobs.filters")}:</span>
      {chips.map((chip) => (
        <button type="button" key={chip.parameter} class="chip" aria-label={t("jobs.remove", { what: chip.label })} onClick={() => setQuery({ [chip.parameter]: "" })}>
          {chip.label} <Icon name="close" />
        </button>
      ))}
      <button type="button" class="text-button" onClick={() => setQuery(Object.fromEntries(chips.map((chip) => [chip.parameter, ""])))}>{t("jobs.clear")}</button>
    </div>
  );
}

function Pager({ total, size, page, loading }: { total: number; size: number; page: number; loading: boolean }) {
  if (loading) return <footer class="pager" role="status">{t("jobs.loadingRest", { total })}</footer>;
  const from = size ? page * size : 0;
  const to = size ? Math.min(total, from + size) : total;
  return (
    <footer class="pager">
      <Select label={t("jobs.rowsPerPage")} value={size ? String(size) : ""} onChange={(value) => setQuery({ size: value, page: "" })}
        options={[{ value: "", label: t("jobs.allRows") }, ...["10", "50", "100"].map((value) => ({ value, label: value }))]} />
      <span>{t("jobs.range", { from: total ? from + 1 : 0, to, total })}</span>
      {size > 0 && <>
        <IconButton icon="left" label={t("jobs.previousPage")} disabled={page === 0} onClick={() => setQuery({ page: page > 1 ? String(page) : "" })} />
        <IconButton icon="right" label={t("jobs.nextPage")} disabled={to >= total} onClick={() => setQuery({ page: String(page + 2) })} />
      </>}
      <span class="quiet">{zoneName()}</span>
    </footer>
  );
}

function Empty({ filtered }: { filtered: boolean }) {
  if (filtered) return <p class="empty">{t("jobs.nothingMatches")}</p>;
  return (
    <div class="empty">
      <p><strong>{t("jobs.empty")}</strong></p>
      <p>{t("jobs.emptyHint")}</p>
      <pre class="command">muster create -f job.yaml</pre>
    </div>
  );
}

function countBy(list: Job[], of: (job: Job) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const job of list) counts.set(of(job), (counts.get(of(job)) ?? 0) + 1);
  return counts;
}

const noJobs: Job[] = [];
const openJob = (job: Job) => go(jobHref(job));

export function JobsPage() {
  const ns = chosenNamespace();
  useEffect(() => void watchJobs(ns), [ns]);
  const query = place.value.query;
  const filter = {
    search: query.get("q") ?? "", phase: query.get("phase") ?? "", kind: query.get("kind") ?? "",
    label: query.get("label") ?? "", queue: query.get("queue") ?? "",
  };
  const sort = parseSort(query.get("sort") ?? "");
  const size = Math.max(0, Number(query.get("size") ?? 0) || 0);
  const page = size ? Math.max(0, (Number(query.get("page") ?? 1) || 1) - 1) : 0;
  const hidden = hiddenColumns(hiddenByDefault);
  // The newest jobs come before the others: in that order they are the first rows, whatever filters leave of them.
  const first = firstJobs.value;
  const isPart = first !== undefined && first.total > first.jobs.length;
  const showsFirst = first !== undefined && (!isPart || (sort.key === "created" && sort.descending && page === 0));
  const all = showsFirst ? first.jobs : isPart ? noJobs : jobs.value;
  const shown = useMemo(() => all.filter((job) => model.matches(job, filter)).sort(comparator(sort, model.stateOf)), [all, place.value]);
  const columns = allColumns();
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const chosen = useMemo(() => (ticked.size ? shown.filter((job) => ticked.has(job.metadata?.uid ?? "")) : []), [shown, ticked]);
  const rows = useMemo(() => (size ? shown.slice(page * size, (page + 1) * size) : shown), [shown, size, page]);

  const phases = countBy(all, model.stateOf);
  const chips: Chip[] = [
    ["phase", t("jobs.phase"), filter.phase], ["kind", t("jobs.type"), filter.kind], ["label", t("jobs.labels"), filter.label],
    ["queue", t("jobs.queue"), filter.queue], ["q", t("column.name"), filter.search],
  ].filter(([, , value]) => value).map(([parameter = "", title, value]) => ({ parameter, label: `${title}: ${value}` }));
  if (query.get("sort")) chips.push({ parameter: "sort", label: `${t("jobs.sort")}: ${sortLabel(sort)}` });
  const options = (values: Iterable<string>) => [{ value: "", label: t("jobs.any") }, ...[...values].filter(Boolean).sort().map((value) => ({ value, label: value }))];
  const state = jobsState.value;
  return (
    <>
      <div class="title-row">
        <h1>{t("jobs.title")}</h1>
        <IconButton icon="refresh" label={t("jobs.refresh")} onClick={reloadJobs} />
        <span class="spacer" />
        <CreateMenu />
      </div>
      <div class="filters">
        <input type="search" class="field" placeholder={t("jobs.search")} aria-label={t("jobs.search")} value={filter.search}
          onInput={(event) => setQuery({ q: event.currentTarget.value, page: "" }, true)} />
        <Select label={t("jobs.phase")} value={filter.phase} onChange={(phase) => setQuery({ phase, page: "" })}
          options={[{ value: "", label: t("jobs.any") }, ...states.map((value) => ({ value, label: t(`state.${value}` as Key) + (isPart ? "" : ` (${phases.get(value) ?? 0})`) }))]} />
        <Select label={t("jobs.type")} value={filter.kind} onChange={(kind) => setQuery({ kind, page: "" })} options={options(countBy(all, (job) => job.kind).keys())} />
        <Select label={t("jobs.queue")} value={filter.queue} onChange={(queue) => setQuery({ queue, page: "" })} options={options(new Set([...countBy(all, model.queueOf).keys(), filter.queue]))} />
        <LabelFilter value={filter.label} />
        <SortSelect sort={sort} />
        <ColumnChooser columns={columns} hiddenByDefault={hiddenByDefault} />
      </div>
      <Chips chips={chips} />
      <BulkActions chosen={chosen} onClear={() => setTicked(new Set())} />
      {state.state === "failed" && <Failure error={state.error} onRetry={reloadJobs} />}
      {state.state === "loading" && shown.length === 0 && <div class="skeleton" aria-hidden="true"><i /><i /><i /></div>}
      {state.state === "live" && shown.length === 0 && <Empty filtered={all.length > 0} />}
      {shown.length > 0 && (
        <Table label={t("jobs.title")} rows={rows}
          columns={columns.filter((column) => !hidden.includes(column.key) && (column.key !== "project" || !ns))}
          keyOf={(job) => job.metadata?.uid ?? ""} noteOf={model.causeOf} onOpen={openJob}
          selection={{ keys: ticked, onChange: setTicked, labelOf: (job) => t("bulk.tick", { name: job.metadata?.name ?? "" }), labelOfAll: t("bulk.tickAll") }} />
      )}
      {shown.length > 0 && <Pager total={isPart ? first.total : shown.length} size={size} page={page} loading={isPart} />}
      <JobDialogs />
    </>
  );
}
