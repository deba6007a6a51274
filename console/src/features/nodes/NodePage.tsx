// One machine: what it has, what pods keep of it, what is in use and by whom.
import type { Node, Pod } from "#types";
import { corePath } from "../../api/paths";
import { useObject } from "../../api/useCollection";
import { t } from "../../i18n";
import { formatAmount } from "../../lib/quantity";
import { Conditions } from "../../ui/Conditions";
import { Failure } from "../../ui/Failure";
import { ScrollX } from "../../ui/ScrollX";
import { StateShape, StateWord } from "../../ui/State";
import { ObjectLink } from "../events/ObjectLink";
import { cpuText, memoryText } from "../jobs/model";
import { amountsOf, heldBy, ownerOf, podState } from "../pods/model";
import { podHref } from "../pods/podHref";
import { useActivePods, useNodeMetrics } from "./live";
import { gpuResource, isReady, nodeProblem, podsOn, resourcesOf, type ResourceUse } from "./model";
import { NodeBars } from "./NodeBars";

function Resources({ uses }: { uses: ResourceUse[] }) {
  return (
    <ScrollX label={t("nodes.resources")}>
      <table class="plain-table stacks">
        <thead>
          <tr>
            <th>{t("nodes.resource")}</th><th class="numeric">{t("nodes.capacity")}</th><th class="numeric">{t("nodes.allocatable")}</th>
            <th class="numeric">{t("nodes.requested")}</th><th class="numeric">{t("nodes.used")}</th>
          </tr>
        </thead>
        <tbody>
          {uses.map((use) => (
            <tr key={use.resource}>
              <td class="object">{use.resource}</td>
              <td class="numeric" data-title={t("nodes.capacity")}>{formatAmount(use.resource, use.capacity)}</td>
              <td class="numeric" data-title={t("nodes.allocatable")}>{formatAmount(use.resource, use.allocatable)}</td>
              <td class="numeric" data-title={t("nodes.requested")}>{formatAmount(use.resource, use.requested)}</td>
              <td class="numeric" data-title={t("nodes.used")}>{formatAmount(use.resource, use.used)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollX>
  );
}

function PodsHere({ pods }: { pods: Pod[] }) {
  if (pods.length === 0) return <p class="quiet">{t("nodes.noPods")}</p>;
  return (
    <ScrollX label={t("nodes.podsHere")}>
      <table class="plain-table wrap-names stacks">
        <thead>
          <tr>
            <th>{t("replica.name")}</th><th>{t("pods.owner")}</th><th>{t("column.project")}</th><th>{t("replica.phase")}</th>
            <th class="numeric">{t("replica.cpu")}</th><th class="numeric">{t("replica.memory")}</th><th class="numeric">{t("nodes.gpus")}</th>
          </tr>
        </thead>
        <tbody>
          {pods.map((pod) => {
            const ns = pod.metadata?.namespace ?? "";
            const owner = ownerOf(pod);
            return (
              <tr key={pod.metadata?.uid}>
                <td class="object"><a href={podHref(ns, pod.metadata?.name ?? "")}>{pod.metadata?.name}</a></td>
                <td>{owner ? <ObjectLink about={{ ...owner, namespace: ns }} short /> : "-"}</td>
                <td>{ns}</td>
                <td><StateWord state={podState(pod)} /></td>
                <td class="numeric" data-title={t("replica.cpu")}>{cpuText(amountsOf(pod, "cpu"))}</td>
                <td class="numeric" data-title={t("replica.memory")}>{memoryText(amountsOf(pod, "memory"))}</td>
                <td class="numeric" data-title={t("nodes.gpus")}>{heldBy(pod, gpuResource) || "-"}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </ScrollX>
  );
}

export function NodePage({ name }: { name: string }) {
  const { live, object: node } = useObject<Node>(corePath("nodes"), name);
  const active = useActivePods();
  const metrics = useNodeMetrics();
  const state = live.state.value;
  if (!node) {
    if (state.state === "failed") return <Failure error={state.error} onRetry={live.reload} />;
    if (state.state === "live") return <p class="empty">{t("nodes.notFound", { name })}</p>;
    return <div class="skeleton" aria-hidden="true"><i /><i /><i /></div>;
  }
  const pods = [...active.items.value.values()];
  const measured = metrics.value?.find((one) => one.metadata?.name === name);
  const problem = nodeProblem(node);
  const failed = active.state.value;
  return (
    <>
      <div class="title-row">
        <h1 class="object">{name}</h1>
        <span class="state"><StateShape state={isReady(node) ? "Running" : "Failed"} /> {t(isReady(node) ? "nodes.ready" : "nodes.notReady")}</span>
      </div>
      {problem && <p class={`truth ${isReady(node) ? "" : "bad"}`}>{problem}</p>}
      <div class="cards">
        <section class="card">
          <h2>{t("nodes.resources")}</h2>
          {metrics.error && <p class="quiet">{t("nodes.notMeasured")} {metrics.error.message}</p>}
          <NodeBars node={node} pods={pods} metrics={measured} />
          <Resources uses={resourcesOf(node, pods, measured)} />
        </section>
        <section class="card">
          <h2>{t("nodes.podsHere")}</h2>
          {failed.state === "failed" ? <Failure error={failed.error} onRetry={active.reload} /> : <PodsHere pods={podsOn(node, pods)} />}
        </section>
        <section class="card"><h2>{t("job.conditions")}</h2><Conditions conditions={node.status?.conditions ?? []} /></section>
      </div>
    </>
  );
}
