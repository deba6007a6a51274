// One pod: its state and cause on top, and tabs below.
import type { Pod } from "#types";
import { useMemo, useState } from "preact/hooks";
import { corePath, objectPath } from "../../api/paths";
import { useObject } from "../../api/useCollection";
import { t } from "../../i18n";
import { hrefOf, place, withNamespace } from "../../lib/router";
import { formatDuration, fullTime } from "../../lib/time";
import { now } from "../../ui/clock";
import { Conditions } from "../../ui/Conditions";
import { Facts, type Fact } from "../../ui/Facts";
import { Failure } from "../../ui/Failure";
import { Menu } from "../../ui/Menu";
import { StateWord } from "../../ui/State";
import { Tabs, type Tab } from "../../ui/Tabs";
import { Events } from "../events/EventTable";
import { ObjectLink } from "../events/ObjectLink";
import { cpuText, memoryText } from "../jobs/model";
import { MetricsTab } from "./MetricsTab";
import { YamlTab } from "../jobs/YamlTab";
import { ContainersTab, ContainerLogs, TerminalTab } from "./ContainerTabs";
import { DeletePod } from "./DeletePod";
import * as model from "./model";

function Elapsed({ pod }: { pod: Pod }) {
  const start = Date.parse(pod.status?.startTime ?? "");
  const end = Date.parse(model.exitOf(pod)?.finishedAt ?? "");
  if (Number.isNaN(start)) return null;
  return <span class="quiet">{formatDuration((model.hasEnded(pod) && !Number.isNaN(end) ? end : now.value) - start)}</span>;
}

function Basics({ pod }: { pod: Pod }) {
  const ns = pod.metadata?.namespace ?? "";
  const owner = model.ownerOf(pod);
  const labels = Object.entries(pod.metadata?.labels ?? {});
  const extended = model.extendedResources(pod).map((name) => `${name}: ${model.amountsOf(pod, name).limit ?? 0}`);
  const facts: Fact[] = [
    { label: t("job.status"), value: <StateWord state={model.podState(pod)} /> },
    { label: t("pods.owner"), value: owner ? <ObjectLink about={{ ...owner, namespace: ns }} /> : "-" },
    { label: t("pods.node"), value: pod.spec.nodeName ? <a class="object" href={hrefOf(["nodes", pod.spec.nodeName], withNamespace())}>{pod.spec.nodeName}</a> : "-" },
    { label: t("pods.address"), value: pod.status?.podIP ? <code>{pod.status.podIP}</code> : "-" },
    { label: t("job.cpu"), value: cpuText(model.amountsOf(pod, "cpu")) },
    { label: t("job.memory"), value: memoryText(model.amountsOf(pod, "memory")) },
    { label: t("pods.extended"), value: extended.length ? extended.map((one) => <code key={one}>{one}</code>) : "-" },
    { label: t("job.restarts"), value: model.restartsOf(pod) },
    { label: t("job.project"), value: ns },
    { label: t("job.created"), value: fullTime(pod.metadata?.creationTimestamp) },
    { label: t("job.uid"), value: <code>{pod.metadata?.uid}</code> },
    { label: t("job.labels"), value: labels.length ? labels.map(([key, value]) => <code key={key}>{value ? `${key}=${value}` : key}</code>) : "-" },
  ];
  return <section class="card"><h2>{t("job.basics")}</h2><Facts facts={facts} /></section>;
}

function PodTab({ pod }: { pod: Pod }) {
  return (
    <div class="cards">
      <Basics pod={pod} />
      <section class="card"><h2>{t("job.conditions")}</h2><Conditions conditions={pod.status?.conditions ?? []} /></section>
      <section class="card">
        <h2>{t("job.events")}</h2>
        <Events ns={pod.metadata?.namespace ?? ""} about={new Set([pod.metadata?.uid ?? ""])} name={pod.metadata?.name ?? ""} />
      </section>
    </div>
  );
}

export function PodPage({ ns, name }: { ns: string; name: string }) {
  const { live, object } = useObject<Pod>(corePath("pods", ns), name);
  const last = useMemo<{ pod?: Pod }>(() => ({}), []);
  const [deleting, setDeleting] = useState(false);
  if (object) last.pod = object;
  const pod = last.pod;
  const state = live.state.value;
  if (!pod) {
    if (state.state === "failed") return <Failure error={state.error} onRetry={live.reload} />;
    if (state.state === "live") return <p class="empty">{t("pods.notFound", { name, ns })}</p>;
    return <div class="skeleton" aria-hidden="true"><i /><i /><i /></div>;
  }
  const tabs: Tab[] = [
    { id: "", label: "Pod" }, { id: "containers", label: t("pods.containers"), count: model.containersOf(pod).length }, { id: "logs", label: t("tab.logs") },
    { id: "metrics", label: t("tab.metrics") }, { id: "terminal", label: t("replica.terminal") }, { id: "yaml", label: t("tab.yaml") },
  ];
  const chosen = place.value.query.get("tab") ?? "";
  const podState = model.podState(pod);
  const cause = model.podCause(pod);
  return (
    <>
      <div class="title-row">
        <h1 class="object">{name}</h1>
        <StateWord state={podState} />
        <Elapsed pod={pod} />
        <span class="spacer" />
        {object && <Menu label={t("action.more", { name })} items={() => [{ label: t("action.delete"), danger: true, onSelect: () => setDeleting(true) }]} />}
      </div>
      {!object && <p class="notice" role="status">{t("pods.gone")}</p>}
      {cause && <p class={`truth ${podState === "Failed" ? "bad" : ""}`}>{cause}</p>}
      {state.state === "failed" && <Failure error={state.error} onRetry={live.reload} />}
      <Tabs tabs={tabs} chosen={chosen} path={["pods", ns, name]} />
      {chosen === "" && <PodTab pod={pod} />}
      {chosen === "containers" && <ContainersTab pod={pod} />}
      {chosen === "logs" && <ContainerLogs pod={pod} />}
      {chosen === "metrics" && <MetricsTab ns={ns} pods={[pod]} state={podState} cpu={model.amountsOf(pod, "cpu")} memory={model.amountsOf(pod, "memory")} />}
      {chosen === "terminal" && <TerminalTab pod={pod} />}
      {chosen === "yaml" && <YamlTab label={name} path={objectPath(corePath("pods", ns), name)} revision={pod.metadata?.resourceVersion ?? ""} />}
      {deleting && <DeletePod ns={ns} name={name} onClose={() => setDeleting(false)} />}
    </>
  );
}
