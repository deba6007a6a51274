// The events of some objects, folded.
import type { Event } from "#types";
import { useState } from "preact/hooks";
import { corePath } from "../../api/paths";
import { useCollection } from "../../api/useCollection";
import { t } from "../../i18n";
import { formatTime } from "../../lib/time";
import { Button } from "../../ui/Button";
import { ScrollX } from "../../ui/ScrollX";
import { foldEvents } from "./events";

interface EventsProps {
  ns: string;
  /** The uids of the objects that they are about. */
  about: Set<string>;
  /** Only events of the object of this name are fetched; of all objects when left out. */
  name?: string;
}

const most = 100;  // as many as are shown at once

export function Events({ ns, about, name }: EventsProps) {
  const live = useCollection<Event>(corePath("events", ns), name ? { fields: `involvedObject.name=${name}` } : {});
  const events = foldEvents([...live.items.value.values()].filter((event) => about.has(event.involvedObject.uid ?? "")));
  const [showsAll, setShowsAll] = useState(false);
  const shown = showsAll ? events : events.slice(0, most);
  if (events.length === 0) return <p class="quiet">{t("job.noEvents")}</p>;
  return (
    <>
      <ScrollX label={t("job.events")}>
        <table class="plain-table stacks">
          <thead><tr><th>{t("event.type")}</th>{name ? null : <th>{t("event.object")}</th>}<th>{t("event.first")}</th><th>{t("event.last")}</th><th>{t("event.reason")}</th><th>{t("event.message")}</th></tr></thead>
          <tbody>
            {shown.map((event) => (
              <tr key={event.metadata.uid} class={event.type === "Warning" ? "warning" : ""}>
                <td>{event.type}</td>{name ? null : <td class="object">{event.involvedObject.name}</td>}
                <td class="time" data-title={t("event.first")}>{formatTime(event.firstTimestamp)}</td><td class="time" data-title={t("event.last")}>{formatTime(event.lastTimestamp)}</td><td>{event.reason}</td>
                <td class="message">{event.message}{(event.count ?? 1) > 1 && <span class="count">{t("event.times", { count: event.count ?? 1 })}</span>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollX>
      {shown.length < events.length && <p class="pager"><Button onClick={() => setShowsAll(true)}>{t("event.showAll", { count: events.length })}</Button></p>}
    </>
  );
}
