// Events for people: newest first, and the same one only once. Pure.
import type { Event } from "#types";

const newestFirst = (a = "", b = "") => (a < b ? 1 : a > b ? -1 : 0);

/** Events of newer clients have only eventTime. */
const timeOf = (event: Event, which: "firstTimestamp" | "lastTimestamp") => event[which] ?? (typeof event.eventTime === "string" ? event.eventTime : "");

/** One event for all that say the same of the same object, with the first and last time and how often it happened. */
export function foldEvents(events: Event[]): Event[] {
  const folded = new Map<string, Event & { count: number; firstTimestamp: string; lastTimestamp: string }>();
  for (const event of events) {
    const key = [event.involvedObject.uid, event.type, event.reason, event.message].join("\n");
    const first = timeOf(event, "firstTimestamp");
    const last = timeOf(event, "lastTimestamp");
    const same = folded.get(key);
    if (!same) {
      folded.set(key, { ...event, firstTimestamp: first, lastTimestamp: last, count: event.count ?? 1 });
      continue;
    }
    same.count += event.count ?? 1;
    if (first < same.firstTimestamp) same.firstTimestamp = first;
    if (last > same.lastTimestamp) same.lastTimestamp = last;
  }
  return [...folded.values()].sort(newestEventFirst);
}

export const newestEventFirst = (a: Event, b: Event) => newestFirst(a.lastTimestamp, b.lastTimestamp);
