// A machine at a glance: CPU, memory and each of its GPUs with the name of who holds it.
import type { Node, NodeMetrics, Pod } from "#types";
import { t } from "../../i18n";
import { formatAmount } from "../../lib/quantity";
import { Bar } from "../../ui/Bar";
import { ObjectLink } from "../events/ObjectLink";
import { ownerOf } from "../pods/model";
import { useGpuUse } from "./live";
import { gpuPlaces, resourcesOf, type GpuPlace } from "./model";

function Holder({ pod }: { pod: Pod | undefined }) {
  if (!pod) return null;
  const owner = ownerOf(pod) ?? { apiVersion: "v1", kind: "Pod", name: pod.metadata?.name ?? "" };
  return <ObjectLink about={{ ...owner, namespace: pod.metadata?.namespace ?? "" }} short />;
}

function GpuBar({ place, number, shares }: { place: GpuPlace; number: number; shares: ReadonlyMap<string, number> }) {
  const percent = place.pod && shares.get(`${place.pod.metadata?.uid}/${place.index}`);
  const name = `${t("nodes.gpus")} ${number}`;
  return <Bar label={<>{name} <Holder pod={place.pod} /></>} name={name} share={percent === undefined ? undefined : percent / 100} text={percent === undefined ? t(place.pod ? "nodes.gpuHeld" : "nodes.gpuFree") : `${percent.toFixed(0)} %`} />;
}

interface NodeBarsProps {
  node: Node;
  /** Those of all machines that have not ended. */
  pods: Pod[];
  metrics: NodeMetrics | undefined;
}

export function NodeBars({ node, pods, metrics }: NodeBarsProps) {
  const places = gpuPlaces(node, pods);
  const shares = useGpuUse(places.flatMap((place) => (place.pod && place.index === 0 ? [place.pod] : [])));
  const [cpu, memory] = resourcesOf(node, pods, metrics);
  return (
    <div class="bars">
      {[cpu, memory].map((one) => one && (
        <Bar key={one.resource} label={t(one.resource === "cpu" ? "column.cpu" : "column.memory")} name={t(one.resource === "cpu" ? "column.cpu" : "column.memory")}
          share={one.used === undefined ? undefined : one.used / one.capacity}
          text={one.used === undefined ? "-" : t("nodes.usedOf", { used: formatAmount(one.resource, one.used), total: formatAmount(one.resource, one.capacity) })} />
      ))}
      {places.map((place, number) => <GpuBar key={number} place={place} number={number} shares={shares} />)}
    </div>
  );
}
