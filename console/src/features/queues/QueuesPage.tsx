// Who may use how much of the machine, and what waits.
import type { Queue } from "#types";
import { groupPath } from "../../api/paths";
import { useCollection } from "../../api/useCollection";
import { t } from "../../i18n";
import { formatAmount } from "../../lib/quantity";
import { hrefOf } from "../../lib/router";
import { Age, ObjectList } from "../../ui/ObjectList";
import { StateShape } from "../../ui/State";
import type { Column } from "../../ui/Table";

const jobsOf = (queue: Queue, phase: string) => hrefOf(["jobs"], { ns: "*", queue: queue.metadata?.name, phase: phase || undefined });

/** "nvidia.com/gpu 2/4 · cpu 8.00": each resource with a quota, and each that is used. */
function quotaText(queue: Queue): string {
  const quota = queue.spec?.quota?.requests ?? {};
  const used = queue.status?.allocated ?? {};
  const names = [...new Set([...Object.keys(quota), ...Object.keys(used)])];
  return names.map((name) => `${name} ${formatAmount(name, used[name] ?? 0)}${quota[name] === undefined ? "" : `/${formatAmount(name, quota[name])}`}`).join(" · ") || t("queues.noQuota");
}

function columns(): Column<Queue>[] {
  const count = (queue: Queue, phase: string, value: number | undefined) => (value ? <a href={jobsOf(queue, phase)}>{value}</a> : 0);
  return [
    { key: "name", title: t("column.name"), width: "minmax(96px, 2fr)",
      cell: (queue) => <span class="name-cell"><StateShape state={queue.spec?.closed ? "Paused" : "Running"} /><a class="object" href={jobsOf(queue, "")}>{queue.metadata?.name}</a></span> },
    { key: "state", title: t("column.state"), width: "64px", cell: (queue) => t(queue.spec?.closed ? "queues.closed" : "queues.open") },
    { key: "quota", title: t("queues.quota"), width: "minmax(140px, 3fr)", hidden: "phone", cell: (queue) => <span title={quotaText(queue)}>{quotaText(queue)}</span> },
    { key: "priority", title: t("queues.priority"), width: "72px", numeric: true, hidden: "phone", cell: (queue) => queue.spec?.priority ?? 0 },
    { key: "running", title: t("queues.running"), width: "56px", numeric: true, cell: (queue) => count(queue, "Running", queue.status?.running) },
    { key: "waiting", title: t("queues.waiting"), width: "56px", numeric: true, cell: (queue) => count(queue, "Pending", queue.status?.pending) },
    { key: "age", title: t("column.age"), width: "64px", numeric: true, hidden: "phone", cell: (queue) => <Age of={queue.metadata?.creationTimestamp} /> },
  ];
}

const byPriority = (a: Queue, b: Queue) => (b.spec?.priority ?? 0) - (a.spec?.priority ?? 0) || (a.metadata?.name ?? "").localeCompare(b.metadata?.name ?? "");

export default function QueuesPage() {
  const live = useCollection<Queue>(groupPath("scheduler.tensorstack.dev", "v1beta1", "queues"));
  return (
    <ObjectList title={t("queues.title")} live={live} columns={columns()} compare={byPriority} noteOf={(queue) => (queue.spec?.closed ? t("queues.closedNote") : "")}
      empty={<><p><strong>{t("queues.empty")}</strong></p><p>{t("queues.emptyHint")}</p><pre class="command">muster create -f queue.yaml</pre></>} />
  );
}
