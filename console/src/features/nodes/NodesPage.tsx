// The machines that pods run on.
import type { Node } from "#types";
import { corePath } from "../../api/paths";
import { useCollection } from "../../api/useCollection";
import { t } from "../../i18n";
import { Age, ObjectList } from "../../ui/ObjectList";
import { StateShape } from "../../ui/State";
import type { Column } from "../../ui/Table";

const isReady = (node: Node) => node.status?.conditions?.some((one) => one.type === "Ready" && one.status === "True") ?? false;

function columns(): Column<Node>[] {
  return [
    { key: "name", title: t("column.name"), width: "minmax(160px, 2fr)",
      cell: (node) => <span class="name-cell"><StateShape state={isReady(node) ? "Running" : "Failed"} /><span class="object">{node.metadata?.name}</span></span> },
    { key: "cpu", title: t("column.cpu"), width: "96px", numeric: true, cell: (node) => node.status?.allocatable?.["cpu"] ?? "-" },
    { key: "memory", title: t("column.memory"), width: "128px", numeric: true, cell: (node) => node.status?.allocatable?.["memory"] ?? "-" },
    { key: "gpus", title: t("nodes.gpus"), width: "64px", numeric: true, cell: (node) => node.status?.allocatable?.["nvidia.com/gpu"] ?? "-" },
    { key: "age", title: t("column.age"), width: "64px", numeric: true, cell: (node) => <Age of={node.metadata?.creationTimestamp} /> },
  ];
}

export default function NodesPage() {
  const live = useCollection<Node>(corePath("nodes"));
  return <ObjectList title={t("nodes.title")} live={live} columns={columns()} empty={<p>{t("nodes.empty")}</p>} />;
}
