// The machines that pods run on, and the page of one of them.
import type { Node, Pod } from "#types";
import { corePath } from "../../api/paths";
import { useCollection } from "../../api/useCollection";
import { NotFound } from "../../app/NotFound";
import type { PageProps } from "../../app/pages";
import { t } from "../../i18n";
import { formatAmount } from "../../lib/quantity";
import { go, hrefOf, withNamespace } from "../../lib/router";
import { Age, ObjectList } from "../../ui/ObjectList";
import { StateShape } from "../../ui/State";
import type { Column } from "../../ui/Table";
import { useActivePods } from "./live";
import { gpuResource, isReady, nodeProblem, podsOn, resourcesOf } from "./model";
import { NodePage } from "./NodePage";

const nodeHref = (node: Node) => hrefOf(["nodes", node.metadata?.name ?? ""], withNamespace());

function columns(pods: Pod[]): Column<Node>[] {
  const requested = (resource: string) => (node: Node) => {
    const use = resourcesOf(node, pods, undefined).find((one) => one.resource === resource);
    return use ? t("nodes.requestedOf", { requested: formatAmount(resource, use.requested), allocatable: formatAmount(resource, use.allocatable) }) : "-";
  };
  return [
    { key: "name", title: t("column.name"), width: "minmax(96px, 2fr)",
      cell: (node) => <span class="name-cell"><StateShape state={isReady(node) ? "Running" : "Failed"} /><a class="object" href={nodeHref(node)}>{node.metadata?.name}</a></span> },
    { key: "state", title: t("column.state"), width: "88px", cell: (node) => t(isReady(node) ? "nodes.ready" : "nodes.notReady") },
    { key: "pods", title: t("nodes.pods"), width: "56px", numeric: true, cell: (node) => podsOn(node, pods).length },
    { key: "cpu", title: t("replica.cpu"), width: "128px", numeric: true, hidden: "phone", cell: requested("cpu") },
    { key: "memory", title: t("replica.memory"), width: "160px", numeric: true, hidden: "phone", cell: requested("memory") },
    { key: "gpus", title: t("nodes.gpus"), width: "64px", numeric: true, cell: requested(gpuResource) },
    { key: "age", title: t("column.age"), width: "64px", numeric: true, hidden: "phone", cell: (node) => <Age of={node.metadata?.creationTimestamp} /> },
  ];
}

function NodesList() {
  const live = useCollection<Node>(corePath("nodes"));
  const pods = [...useActivePods().items.value.values()];
  return <ObjectList title={t("nodes.title")} live={live} columns={columns(pods)} noteOf={nodeProblem} onOpen={(node) => go(nodeHref(node))} empty={<p>{t("nodes.empty")}</p>} />;
}

export default function NodesPage({ path }: PageProps) {
  const [name, ...rest] = path;
  if (!name) return <NodesList />;
  return rest.length > 0 ? <NotFound /> : <NodePage name={name} key={name} />;
}
