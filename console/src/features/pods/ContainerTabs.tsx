// What each container of a pod does, says and lets people do.
import type { Pod } from "#types";
import { lazy, Suspense } from "preact/compat";
import { t } from "../../i18n";
import { place, setQuery } from "../../lib/router";
import { fullTime } from "../../lib/time";
import { Facts, type Fact } from "../../ui/Facts";
import { Select } from "../../ui/Select";
import { StateWord } from "../../ui/State";
import { cpuText, memoryText } from "../jobs/model";
import { ExitCode } from "./ExitCode";
import { PodLog } from "./PodLog";
import { amountsOf, containersOf, containerState, withOnly, type ContainerView } from "./model";

const Terminal = lazy(() => import("./Terminal"));
const shells = ["bash", "sh"];

function facts(pod: Pod, container: ContainerView): Fact[] {
  const { spec, status } = container;
  const alone = withOnly(pod, container);
  const command = [...(spec.command ?? []), ...(spec.args ?? [])];
  return [
    { label: t("job.status"), value: <StateWord state={containerState(container)} /> },
    { label: t("pods.restarts"), value: status?.restartCount ?? 0 },
    { label: t("replica.exit"), value: <ExitCode exit={status?.state?.terminated} /> },
    { label: t("pods.lastExit"), value: <ExitCode exit={status?.lastState?.terminated} /> },
    { label: t("pods.started"), value: fullTime(status?.state?.running?.startedAt ?? status?.state?.terminated?.startedAt) },
    { label: t("pods.ended"), value: fullTime(status?.state?.terminated?.finishedAt) },
    { label: t("job.cpu"), value: cpuText(amountsOf(alone, "cpu")) },
    { label: t("job.memory"), value: memoryText(amountsOf(alone, "memory")) },
    { label: t("pods.image"), value: spec.image ? <code>{spec.image}</code> : "-" },
    { label: t("pods.command"), value: command.length ? command.map((word, index) => <code key={index}>{word}</code>) : "-" },
  ];
}

export function ContainersTab({ pod }: { pod: Pod }) {
  return (
    <div class="cards">
      {containersOf(pod).map((container) => {
        const { waiting, terminated } = container.status?.state ?? {};
        const why = waiting?.message || waiting?.reason || terminated?.message || "";
        return (
          <section class="card" key={container.spec.name}>
            <h2 class="object">{container.spec.name}{container.isInit && <span class="count">{t("pods.init")}</span>}</h2>
            {why && <p class="truth">{why}</p>}
            <Facts facts={facts(pod, container)} />
          </section>
        );
      })}
    </div>
  );
}

/** The container that the address names, else the first that is not an init container. */
function chosenContainer(all: ContainerView[]): ContainerView | undefined {
  const wanted = place.value.query.get("container");
  return all.find((one) => one.spec.name === wanted) ?? all.find((one) => !one.isInit);
}

function ContainerSelect({ all, chosen }: { all: ContainerView[]; chosen: ContainerView }) {
  return (
    <Select label={t("pods.container")} value={chosen.spec.name} onChange={(container) => setQuery({ container })}
      options={all.map((one) => ({ value: one.spec.name, label: one.spec.name }))} />
  );
}

export function ContainerLogs({ pod }: { pod: Pod }) {
  const all = containersOf(pod);
  const chosen = chosenContainer(all);
  if (!chosen) return null;
  return (
    <div class="card flush">
      <div class="filters"><ContainerSelect all={all} chosen={chosen} /></div>
      <PodLog key={chosen.spec.name} ns={pod.metadata?.namespace ?? ""} label={pod.metadata?.name ?? ""} pods={[withOnly(pod, chosen)]} />
    </div>
  );
}

export function TerminalTab({ pod }: { pod: Pod }) {
  const all = containersOf(pod).filter((one) => !one.isInit);
  const chosen = chosenContainer(all);
  if (!chosen) return null;
  const asked = place.value.query.get("shell") ?? "";
  const shell = shells.includes(asked) ? asked : "bash";
  const container = chosen.spec.name;
  return (
    <div class="card flush">
      <div class="filters">
        <ContainerSelect all={all} chosen={chosen} />
        <Select label={t("terminal.shell")} value={shell} onChange={(value) => setQuery({ shell: value })} options={shells.map((value) => ({ value, label: value }))} />
      </div>
      {containerState(chosen) !== "Running" ? <p class="empty">{t("terminal.notRunning")}</p> : (
        <Suspense fallback={<div class="skeleton" aria-hidden="true"><i /><i /><i /></div>}>
          <Terminal key={`${container}/${shell}/${chosen.status?.restartCount ?? 0}`} ns={pod.metadata?.namespace ?? ""} pod={pod.metadata?.name ?? ""} container={container} shell={shell} />
        </Suspense>
      )}
    </div>
  );
}
