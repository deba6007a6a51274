// The pods of the project, and the page of one of them.
import type { Pod, PodGroup } from "#types";
import { useState } from "preact/hooks";
import { corePath, groupPath } from "../../api/paths";
import { useCollection } from "../../api/useCollection";
import { NotFound } from "../../app/NotFound";
import type { PageProps } from "../../app/pages";
import { t, type Key } from "../../i18n";
import { chosenNamespace, go, place, setQuery } from "../../lib/router";
import { comparator, parseSort } from "../../lib/sort";
import { LabelFilter } from "../../ui/LabelFilter";
import { Menu } from "../../ui/Menu";
import { Age, ObjectList } from "../../ui/ObjectList";
import { Select } from "../../ui/Select";
import { SortSelect } from "../../ui/SortSelect";
import { StateShape } from "../../ui/State";
import type { Column } from "../../ui/Table";
import { cpuText, memoryText } from "../jobs/model";
import { DeletePod } from "./DeletePod";
import * as model from "./model";
import { podHref } from "./podHref";
import { PodPage } from "./PodPage";

const members = [
  "apiVersion", "kind", "metadata.name", "metadata.namespace", "metadata.uid", "metadata.labels", "metadata.creationTimestamp",
  "metadata.deletionTimestamp", "metadata.resourceVersion", "spec.containers", "spec.nodeName", "status",
];
const states = ["Pending", "Starting", "Running", "Succeeded", "Failed"];

const hrefOfPod = (pod: Pod, query?: Record<string, string>) => podHref(pod.metadata?.namespace ?? "", pod.metadata?.name ?? "", query);

function columns(onDelete: (pod: Pod) => void): Column<Pod>[] {
  const name = (pod: Pod) => (
    <span class="name-cell"><StateShape state={model.podState(pod)} /><a class="object" href={hrefOfPod(pod)} title={pod.metadata?.name}>{pod.metadata?.name}</a></span>
  );
  const menu = (pod: Pod) => [
    { label: t("replica.logs"), onSelect: () => go(hrefOfPod(pod, { tab: "logs" })) },
    { label: t("replica.terminal"), onSelect: () => go(hrefOfPod(pod, { tab: "terminal" })) },
    { label: t("action.yaml"), onSelect: () => go(hrefOfPod(pod, { tab: "yaml" })) },
    { label: t("action.delete"), danger: true, onSelect: () => onDelete(pod) },
  ];
  const all: Column<Pod>[] = [
    { key: "name", title: t("column.name"), width: "minmax(min(200px, 30vw), 3fr)", cell: name },
    { key: "project", title: t("column.project"), width: "minmax(64px, 1fr)", hidden: "phone", cell: (pod) => pod.metadata?.namespace },
    { key: "ready", title: t("pods.ready"), width: "72px", numeric: true, hidden: "phone", cell: model.readyText },
    { key: "status", title: t("pods.status"), width: "88px", cell: (pod) => t(`state.${model.podState(pod)}` as Key) },
    { key: "restarts", title: t("pods.restarts"), width: "72px", numeric: true, hidden: "phone", cell: model.restartsOf },
    { key: "cpu", title: t("column.cpu"), width: "108px", numeric: true, hidden: "tablet", cell: (pod) => cpuText(model.amountsOf(pod, "cpu")) },
    { key: "memory", title: t("column.memory"), width: "144px", numeric: true, hidden: "tablet", cell: (pod) => memoryText(model.amountsOf(pod, "memory")) },
    { key: "node", title: t("pods.node"), width: "minmax(72px, 1fr)", hidden: "tablet", cell: (pod) => pod.spec.nodeName || "-" },
    { key: "age", title: t("column.age"), width: "56px", numeric: true, hidden: "phone", cell: (pod) => <Age of={pod.metadata?.creationTimestamp} /> },
    { key: "actions", title: t("column.actions"), width: "56px", cell: (pod) => <Menu label={t("action.more", { name: pod.metadata?.name ?? "" })} items={() => menu(pod)} /> },
  ];
  return chosenNamespace() ? all.filter((column) => column.key !== "project") : all;
}

function PodsList() {
  const ns = chosenNamespace();
  const live = useCollection<Pod>(corePath("pods", ns), { members });
  const groups = useCollection<PodGroup>(groupPath("scheduler.tensorstack.dev", "v1beta1", "podgroups", ns)).items.value;
  const [deleting, setDeleting] = useState<Pod>();
  const parameter = (name: string) => place.value.query.get(name) ?? "";
  const filter = { phase: parameter("phase"), label: parameter("label"), group: parameter("group"), resource: parameter("resource"), queue: parameter("queue") };
  const sort = parseSort(parameter("sort"));
  const pods = [...live.items.value.values()];
  const chooser = (name: "group" | "resource" | "queue", label: string, values: string[]) => {
    const known = [...new Set([...values, filter[name]])].filter(Boolean).sort();
    return known.length > 0 && (
      <Select key={name} label={label} value={filter[name]} onChange={(value) => setQuery({ [name]: value })}
        options={[{ value: "", label: t("jobs.any") }, ...known.map((value) => ({ value, label: value }))]} />
    );
  };
  return (
    <>
      <ObjectList title={t("pods.title")} live={live} columns={columns(setDeleting)} hiddenByDefault="node" noteOf={model.podCause} compare={comparator(sort, model.podState)}
        matches={(pod) => model.matchesPod(pod, filter, groups)} onOpen={(pod) => go(hrefOfPod(pod))}
        empty={<><p><strong>{t("pods.empty")}</strong></p><p>{t("pods.emptyHint")}</p><pre class="command">muster run train.py</pre></>}
        filters={<>
          <Select label={t("jobs.phase")} value={filter.phase} onChange={(phase) => setQuery({ phase })}
            options={[{ value: "", label: t("jobs.any") }, ...states.map((value) => ({ value, label: t(`state.${value}` as Key) }))]} />
          {chooser("group", t("pods.group"), pods.map(model.podGroupOf))}
          {chooser("resource", t("pods.resource"), pods.flatMap(model.extendedResources))}
          {chooser("queue", t("jobs.queue"), pods.map((pod) => model.podQueueOf(pod, groups)))}
          <LabelFilter value={filter.label} />
          <SortSelect sort={sort} />
        </>} />
      {deleting && <DeletePod ns={deleting.metadata?.namespace ?? ""} name={deleting.metadata?.name ?? ""} onClose={() => setDeleting(undefined)} />}
    </>
  );
}

export default function PodsPage({ path }: PageProps) {
  const [ns, name, ...rest] = path;
  if (path.length === 0) return <PodsList />;
  if (!ns || !name || rest.length > 0) return <NotFound />;
  return <PodPage ns={ns} name={name} key={path.join("/")} />;
}
