import type { Event } from "#types";
import { expect, it } from "vitest";
import { foldEvents } from "./events";

const event = (uid: string, message: string, at: string, count = 1): Event => ({
  apiVersion: "v1", kind: "Event", metadata: { name: `${uid}.${at}`, uid: `${uid}${at}` }, involvedObject: { uid }, type: "Warning", reason: "BackOff", message, count,
  firstTimestamp: at, lastTimestamp: at,
});

it("folds equal events of the same object, newest first", () => {
  const shown = foldEvents([event("a", "x", "2026-01-01T00:00:02Z", 2), event("b", "x", "2026-01-01T00:00:03Z"), event("a", "x", "2026-01-01T00:00:01Z"), event("a", "y", "2026-01-01T00:00:09Z")]);
  expect(shown.map((one) => [one.involvedObject.uid, one.message, one.count])).toEqual([["a", "y", 1], ["b", "x", 1], ["a", "x", 3]]);
  expect([shown[2]?.firstTimestamp, shown[2]?.lastTimestamp]).toEqual(["2026-01-01T00:00:01Z", "2026-01-01T00:00:02Z"]);
});

it("takes the time of newer clients' events", () => {
  const { firstTimestamp: _first, lastTimestamp: _last, ...rest } = event("a", "x", "");
  expect(foldEvents([{ ...rest, eventTime: "2026-01-01T00:00:05.123456Z" }])[0]?.lastTimestamp).toBe("2026-01-01T00:00:05.123456Z");
});
