// What the replicas use, summed, each of them or one of them: read again every few seconds while they run. All charts share one time axis.
import { useSignal } from "@preact/signals";
import type { Pod } from "#types";
import { useEffect, useState } from "preact/hooks";
import { ApiError, asApiError, getJson } from "../../api/client";
import { objectPath, ownPath } from "../../api/paths";
import { t } from "../../i18n";
import { formatBytes, formatCpu } from "../../lib/quantity";
import { place, setQuery } from "../../lib/router";
import { fromLocalInput, gpuSeries, localInput, sumSeries, type History } from "../../lib/series";
import { formatClock } from "../../lib/time";
import { Button, IconButton } from "../../ui/Button";
import { Chart, type Mark, type Series, type TimeAxis } from "../../ui/Chart";
import { now } from "../../ui/clock";
import { Failure } from "../../ui/Failure";
import { Select } from "../../ui/Select";
import type { State } from "../../ui/State";
import { Curves } from "../jobs/Curves";
import type { Amounts } from "../jobs/model";
import { isPast } from "../jobs/history";
import { indexOf, roleOf } from "../jobs/replicas";

const readEvery = 4000;

interface PodHistory {
  pod: string;
  history: History;
}

const nameOf = (pod: Pod) => pod.metadata?.name ?? "";

/** The path of what a pod used; the uid names one that is deleted. */
function historyPath(ns: string, pod: Pod): string {
  const path = `${objectPath(ownPath("pods", ns), nameOf(pod))}/metrics`;
  return isPast(pod) ? `${path}?uid=${encodeURIComponent(pod.metadata?.uid ?? "")}` : path;
}

async function readHistories(ns: string, pods: Pod[]): Promise<PodHistory[]> {
  const all = await Promise.all(
    pods.map(async (pod) => {
      const history = await getJson<History>(historyPath(ns, pod)).catch((error: unknown) => {
        // A pod that has not run yet has no history.
        if (error instanceof ApiError && error.code === 404) return undefined;
        throw error;
      });
      return history && { pod: nameOf(pod), history };
    }),
  );
  return all.filter((one) => one !== undefined);
}

function levels(amounts: Amounts) {
  return [
    ...(amounts.request === undefined ? [] : [{ label: t("metrics.request"), value: amounts.request, kind: "request" as const }]),
    ...(amounts.limit === undefined ? [] : [{ label: t("metrics.limit"), value: amounts.limit, kind: "limit" as const }]),
  ];
}

const rate = (value: number) => `${formatBytes(value)}B/s`;
const percent = (value: number) => `${value.toFixed(0)} %`;

interface MetricsTabProps {
  ns: string;
  pods: Pod[];
  /** Pods that these have replaced. */
  earlier?: Pod[];
  /** Of what owns the pods: it is read again and again while that runs. */
  state: State;
  cpu: Amounts;
  memory: Amounts;
  /** Where the curves of the training are, if there are any. */
  scalars?: string;
  /** When it began to run and when it ended; the first and the last measurement where that is not known. */
  started?: string | undefined;
  ended?: string | undefined;
  marks?: Mark[];
}

/** The part of the time that the address names, in seconds; the whole of it without. */
function useRange(whole: { from: number; to: number }) {
  const query = place.value.query;
  const [from, to] = ["from", "to"].map((name) => Number(query.get(name) ?? NaN)) as [number, number];
  const chosen = from < to;
  return { chosen, from: chosen ? from : whole.from, to: chosen ? to : whole.to };
}

const setRange = (from: number, to: number) => setQuery({ from: from < to ? String(Math.floor(from)) : "", to: from < to ? String(Math.ceil(to)) : "" });

function RangeChooser({ from, to, chosen, label }: { from: number; to: number; chosen: boolean; label: string }) {
  const input = (text: string, value: number, onChange: (seconds: number) => void) => (
    <label class="select"><span>{text}</span>
      <input type="datetime-local" step="1" class="field" value={localInput(value)}
        onChange={(event) => !Number.isNaN(fromLocalInput(event.currentTarget.value)) && onChange(fromLocalInput(event.currentTarget.value))} /></label>
  );
  return (
    <>
      <span class="quiet">{chosen ? `${formatClock(from * 1000).slice(0, 8)} – ${formatClock(to * 1000).slice(0, 8)}` : label}</span>
      <details class="chooser">
        <summary class="button plain">{t("metrics.custom")}</summary>
        <div class="menu range">
          {input(t("metrics.from"), from, (value) => setRange(value, to))}
          {input(t("metrics.to"), to, (value) => setRange(from, value))}
          <p class="quiet">{t("metrics.dragHint")}</p>
        </div>
      </details>
      {chosen && <Button onClick={() => setRange(0, 0)}>{t("metrics.whole")}</Button>}
    </>
  );
}

const secondsOf = (text: string | undefined) => Date.parse(text ?? "") / 1000;
const each = "*";

const noPods: Pod[] = [];

export function MetricsTab({ ns, pods, earlier = noPods, state, cpu, memory, scalars, started, ended, marks = [] }: MetricsTabProps) {
  const [histories, setHistories] = useState<PodHistory[]>([]);
  const [error, setError] = useState<ApiError>();
  const [round, setRound] = useState(0);
  const [reads, setReads] = useState(0);
  const hover = useSignal<number | undefined>(undefined);
  const wanted = place.value.query.get("pod") ?? "";
  const chosen = [...pods, ...earlier].filter((pod) => !wanted || wanted === each || nameOf(pod) === wanted);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let gone = false;
    const read = async () => {
      try {
        const found = await readHistories(ns, chosen);
        if (gone) return;
        setHistories(found);
        setReads((before) => before + 1);
        setError(undefined);
      } catch (problem) {
        if (!gone) setError(asApiError(problem));
      }
      if (!gone && ["Running", "Restarting"].includes(state)) timer = setTimeout(() => void read(), readEvery);
    };
    void read();
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [ns, chosen.map((pod) => pod.metadata?.uid).join(), state, round]);

  const times = histories.flatMap(({ history }) => [history.times[0], history.times[history.times.length - 1]]).filter((time) => time !== undefined);
  const begin = secondsOf(started) || Math.min(...times, now.value / 1000 - 60);
  const end = secondsOf(ended) || Math.max(...times, begin + 1);
  const range = useRange({ from: Math.min(begin, ...times), to: Math.max(end, ...times) });
  const axis: TimeAxis = { from: range.from, to: range.to, marks, hover, onZoom: setRange };

  const labelOf = (name: string) => {
    const pod = pods.find((one) => one.metadata?.name === name);
    return pod && roleOf(pod) ? `${roleOf(pod)}-${indexOf(pod)}` : name;
  };
  /** One line for all replicas, or one for each. */
  const series = (...columns: string[]): Series[] =>
    wanted === each
      ? [...new Set(histories.map((one) => one.pod))].map((pod) => ({ label: labelOf(pod), points: sumSeries(histories.filter((one) => one.pod === pod).map((one) => one.history), columns) }))
      : [{ label: "", points: sumSeries(histories.map((one) => one.history), columns) }];
  const gpus = (kind: string) => gpuSeries(histories.map(({ pod, history }) => ({ label: labelOf(pod), history })), kind);
  const whole = wanted === "";
  const hasGpus = gpus("utilisation").length > 0;
  const over = ["Succeeded", "Failed", "Stopped"].includes(state);
  return (
    <>
      <div class="filters">
        {pods.length > 1 && (
          <Select label={t("tab.replicas")} value={wanted} onChange={(pod) => setQuery({ pod })}
            options={[{ value: "", label: t("metrics.sum") }, { value: each, label: t("metrics.each") }, ...pods.map((pod) => ({ value: pod.metadata?.name ?? "", label: pod.metadata?.name ?? "" }))]} />
        )}
        <RangeChooser {...range} label={t(over ? "metrics.rangeFinish" : "metrics.rangeNow")} />
        <IconButton icon="refresh" label={t("metrics.refresh")} onClick={() => setRound(round + 1)} />
      </div>
      {marks.length > 0 && (
        <p class="marks" role="group" aria-label={t("metrics.marks")}>
          {marks.map((mark) => <span key={`${mark.time}${mark.label}`}><span class="quiet">{formatClock(mark.time * 1000).slice(0, 8)}</span> {mark.label}</span>)}
        </p>
      )}
      {error && <Failure error={error} onRetry={() => setRound(round + 1)} />}
      <div class="cards">
        {scalars && <Curves path={scalars} round={reads} axis={axis} />}
        <section class="card">
          <h2>{t("metrics.resources")}</h2>
          <div class="charts">
            <Chart title={t("metrics.cpu")} series={series("cpu")} axis={axis} format={formatCpu} levels={whole ? levels(cpu) : []} />
            <Chart title={t("metrics.memory")} series={series("memory")} axis={axis} format={formatBytes} binary levels={whole ? levels(memory) : []} />
          </div>
        </section>
        {hasGpus && (
          <section class="card">
            <h2>{t("metrics.gpus")}</h2>
            <div class="charts">
              <Chart title={t("metrics.gpu")} series={gpus("utilisation")} axis={axis} format={percent} atLeast={100} />
              <Chart title={t("metrics.gpuMemory")} series={gpus("memory")} axis={axis} format={formatBytes} binary />
            </div>
          </section>
        )}
        <section class="card">
          <h2>{t("metrics.network")}</h2>
          <div class="charts">
            <Chart title={t("metrics.receive")} series={series("network-receive")} axis={axis} format={rate} binary />
            <Chart title={t("metrics.transmit")} series={series("network-transmit")} axis={axis} format={rate} binary />
          </div>
        </section>
        <section class="card">
          <h2>{t("metrics.storage")}</h2>
          <div class="charts"><Chart title={t("metrics.throughput")} series={series("disk-read", "disk-write")} axis={axis} format={rate} binary /></div>
        </section>
      </div>
    </>
  );
}
