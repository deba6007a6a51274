// What happens in the project: the events of all its objects, each once.
import type { Event } from "#types";
import { corePath } from "../../api/paths";
import { useCollection } from "../../api/useCollection";
import { t } from "../../i18n";
import { chosenNamespace, place, setQuery } from "../../lib/router";
import { Age, ObjectList } from "../../ui/ObjectList";
import { Select } from "../../ui/Select";
import type { Column } from "../../ui/Table";
import { foldEvents, newestEventFirst } from "./events";
import { ObjectLink } from "./ObjectLink";

function columns(): Column<Event>[] {
  const all: Column<Event>[] = [
    { key: "type", title: t("event.type"), width: "72px", cell: (event) => <span class={`type-word ${event.type === "Warning" ? "warning" : ""}`}>{event.type === "Warning" ? "▲" : "●"} {event.type}</span> },
    { key: "object", title: t("event.object"), width: "minmax(160px, 2fr)", cell: (event) => <ObjectLink about={event.involvedObject} /> },
    { key: "project", title: t("column.project"), width: "minmax(80px, 1fr)", hidden: "phone", cell: (event) => event.metadata.namespace },
    { key: "reason", title: t("event.reason"), width: "minmax(100px, 1fr)", hidden: "phone", cell: (event) => event.reason },
    { key: "count", title: t("events.count"), width: "56px", numeric: true, hidden: "phone", cell: (event) => event.count },
    { key: "first", title: t("event.first"), width: "80px", numeric: true, hidden: "tablet", cell: (event) => <Age of={event.firstTimestamp} /> },
    { key: "last", title: t("event.last"), width: "80px", numeric: true, cell: (event) => <Age of={event.lastTimestamp} /> },
  ];
  return chosenNamespace() ? all.filter((column) => column.key !== "project") : all;
}

const options = (values: string[]) => [{ value: "", label: t("jobs.any") }, ...[...new Set(values)].filter(Boolean).sort().map((value) => ({ value, label: value }))];

export default function EventsPage() {
  const live = useCollection<Event>(corePath("events", chosenNamespace()));
  const type = place.value.query.get("type") ?? "";
  const kind = place.value.query.get("kind") ?? "";
  const matches = (event: Event) => (!type || event.type === type) && (!kind || event.involvedObject.kind === kind);
  return (
    <div class="plain-notes">
      <ObjectList title={t("events.title")} live={live} columns={columns()} arrange={foldEvents} compare={newestEventFirst} matches={matches} noteOf={(event) => event.message ?? ""}
        empty={<><p><strong>{t("events.empty")}</strong></p><p>{t("events.emptyHint")}</p><pre class="command">muster get events</pre></>}
        filters={<>
          <Select label={t("event.type")} value={type} onChange={(value) => setQuery({ type: value })} options={options(["Normal", "Warning"])} />
          <Select label={t("events.kind")} value={kind} onChange={(value) => setQuery({ kind: value })} options={options([kind, ...[...live.items.value.values()].map((event) => event.involvedObject.kind ?? "")])} />
        </>} />
    </div>
  );
}
