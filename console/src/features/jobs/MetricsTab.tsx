// What the replicas use, summed or one of them: read again every few seconds while they run.
import type { Pod } from "#types";
import { useEffect, useState } from "preact/hooks";
import { ApiError, getJson } from "../../api/client";
import { t } from "../../i18n";
import { formatBytes, formatCpu } from "../../lib/quantity";
import { place, setQuery } from "../../lib/router";
import { seriesNames, sumSeries, type History } from "../../lib/series";
import { IconButton } from "../../ui/Button";
import { Chart } from "../../ui/Chart";
import { Failure } from "../../ui/Failure";
import { Select } from "../../ui/Select";
import type { State } from "../../ui/State";
import { Curves } from "./Curves";
import type { Amounts } from "./model";

const readEvery = 4000;

async function readHistories(ns: string, pods: string[]): Promise<History[]> {
  const all = await Promise.all(
    pods.map((pod) =>
      getJson<History>(`/apis/muster.dev/v1/namespaces/${encodeURIComponent(ns)}/pods/${encodeURIComponent(pod)}/metrics`).catch((error: unknown) => {
        // A pod that has not run yet has no history.
        if (error instanceof ApiError && error.code === 404) return undefined;
        throw error;
      })),
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
  /** Of what owns the pods: it is read again and again while that runs. */
  state: State;
  cpu: Amounts;
  memory: Amounts;
  /** Where the curves of the training are, if there are any. */
  scalars?: string;
}

export function MetricsTab({ ns, pods, state, cpu, memory, scalars }: MetricsTabProps) {
  const [histories, setHistories] = useState<History[]>();
  const [error, setError] = useState<ApiError>();
  const [round, setRound] = useState(0);
  const [reads, setReads] = useState(0);
  const wanted = place.value.query.get("pod") ?? "";
  const names = pods.map((pod) => pod.metadata?.name ?? "").filter((name) => !wanted || name === wanted);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let gone = false;
    const read = async () => {
      try {
        const found = await readHistories(ns, names);
        if (gone) return;
        setHistories(found);
        setReads((before) => before + 1);
        setError(undefined);
      } catch (problem) {
        if (!gone) setError(problem instanceof ApiError ? problem : new ApiError({ message: String(problem) }));
      }
      if (!gone && state === "Running") timer = setTimeout(() => void read(), readEvery);
    };
    void read();
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [ns, names.join(), state, round]);

  const ended = state === "Succeeded" || state === "Failed";
  const sum = (...series: string[]) => sumSeries(histories ?? [], series);
  const gpus = seriesNames(histories ?? []).filter((name) => name.startsWith("gpu-"));
  return (
    <>
      <div class="filters">
        {pods.length > 1 && <Select label={t("tab.replicas")} value={wanted} onChange={(pod) => setQuery({ pod })}
          options={[{ value: "", label: t("metrics.sum") }, ...pods.map((pod) => ({ value: pod.metadata?.name ?? "", label: pod.metadata?.name ?? "" }))]} />}
        <span class="quiet">{t(ended ? "metrics.rangeFinish" : "metrics.rangeNow")}</span>
        <IconButton icon="refresh" label={t("metrics.refresh")} onClick={() => setRound(round + 1)} />
      </div>
      {error && <Failure error={error} onRetry={() => setRound(round + 1)} />}
      <div class="cards">
        {scalars && <Curves path={scalars} round={reads} />}
        <section class="card">
          <h2>{t("metrics.resources")}</h2>
          <div class="charts">
            <Chart title={t("metrics.cpu")} points={sum("cpu")} format={formatCpu} levels={wanted ? [] : levels(cpu)} />
            <Chart title={t("metrics.memory")} points={sum("memory")} format={formatBytes} binary levels={wanted ? [] : levels(memory)} />
            {gpus.map((name) => name.endsWith("utilisation")
              ? <Chart key={name} title={`${t("metrics.gpu")} ${name.split("-")[1]}`} points={sum(name)} format={percent} atLeast={100} />
              : <Chart key={name} title={`${t("metrics.gpuMemory")} ${name.split("-")[1]}`} points={sum(name)} format={formatBytes} binary />)}
          </div>
        </section>
        <section class="card">
          <h2>{t("metrics.network")}</h2>
          <div class="charts">
            <Chart title={t("metrics.receive")} points={sum("network-receive")} format={rate} binary />
            <Chart title={t("metrics.transmit")} points={sum("network-transmit")} format={rate} binary />
          </div>
        </section>
        <section class="card">
          <h2>{t("metrics.storage")}</h2>
          <div class="charts"><Chart title={t("metrics.throughput")} points={sum("disk-read", "disk-write")} format={rate} binary /></div>
        </section>
      </div>
    </>
  );
}
