import { expect, it } from "vitest";
import type { Event, Pod } from "#types";
import type { Job } from "../../api/jobs";
import { marksOf } from "./marks";

it("marks the start, the phases and the restarts, in the order of their times", () => {
  const job = {
    metadata: { uid: "u" },
    summary: { startTime: "2026-01-01T00:00:00Z" },
    status: {
      conditions: [
        { type: "Initialized", status: "True", lastTransitionTime: "2026-01-01T00:00:01Z" }, { type: "Completed", status: "True", lastTransitionTime: "2026-01-01T00:01:00Z" },
        { type: "Running", status: "False", lastTransitionTime: "2026-01-01T00:01:00Z" }],
    },
  } as unknown as Job;
  const pod = (attempt: string, creationTimestamp: string) => ({ metadata: { labels: { "muster.dev/attempt": attempt }, creationTimestamp } }) as unknown as Pod;
  const second = (text: string) => Date.parse(text) / 1000;
  const event = (uid: string, reason: string, lastTimestamp: string) => ({ involvedObject: { uid }, reason, lastTimestamp }) as unknown as Event;
  const events = [
    event("u", "PodRestarted", "2026-01-01T00:00:28Z"), event("other", "PodRestarted", "2026-01-01T00:00:20Z"), event("u", "Running", "2026-01-01T00:00:21Z"),
    event("u", "PyTorchJobRestarting", "2026-01-01T00:00:10Z")];
  expect(marksOf(job, [pod("1", "2026-01-01T00:00:31Z"), pod("1", "2026-01-01T00:00:30Z"), pod("0", "2026-01-01T00:00:00Z")], events)).toEqual([
    { time: second("2026-01-01T00:00:00Z"), label: "Started" }, { time: second("2026-01-01T00:00:10Z"), label: "Restart" },
    { time: second("2026-01-01T00:00:28Z"), label: "Restart" }, { time: second("2026-01-01T00:00:30Z"), label: "Attempt 2" }, { time: second("2026-01-01T00:01:00Z"), label: "Succeeded" }]);
  expect(marksOf({ apiVersion: "", kind: "" }, [], [])).toEqual([]);
});
