// Events for people: newest first, and the same one only once. Pure.
import type { Event } from "#types";

export interface FoldedEvent {
  key: string;
  type: string;
  object: string;
  reason: string;
  message: string;
  first: string;
  last: string;
  count: number;
}

export const newestFirst = (a = "", b = "") => (a < b ? 1 : a > b ? -1 : 0);

/** Events of newer clients have only eventTime. */
const timeOf = (event: Event, which: "firstTimestamp" | "lastTimestamp") =>
  event[which] ?? (typeof event.eventTime === "string" ? event.eventTime : "") ?? "";

export function foldEvents(events: Event[]): FoldedEvent[] {
  const folded = new Map<string, FoldedEvent>();
  for (const event of events) {
    const key = [event.involvedObject.uid, event.type, event.reason, event.message].join("\n");
    const first = timeOf(event, "firstTimestamp");
    const last = timeOf(event, "lastTimestamp");
    const same = folded.get(key);
    if (!same) {
      folded.set(key, {
        key, first, last, type: event.type ?? "", reason: event.reason ?? "", message: event.message ?? "",
        object: event.involvedObject.name ?? "", count: event.count ?? 1 });
      continue;
    }
    same.count += event.count ?? 1;
    if (first < same.first) same.first = first;
    if (last > same.last) same.last = last;
  }
  return [...folded.values()].sort((a, b) => newestFirst(a.last, b.last));
}
