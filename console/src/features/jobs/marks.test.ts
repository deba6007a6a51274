import { expect, it } from "vitest";
import type { Pod } from "#types";
import type { Job } from "../../api/jobs";
import { marksOf } from "./marks";

it("marks the start, the phases and the restarts, in the order of their times", () => {
  const job = {
    status: {
      startTime: "2026-01-01T00:00:00Z",
      conditions: [
        { type: "Initialized", status: "True", lastTransitionTime: "2026-01-01T00:00:01Z" }, { type: "Completed", status: "True", lastTransitionTime: "2026-01-01T00:01:00Z" },
        { type: "Running", status: "False", lastTransitionTime: "2026-01-01T00:01:00Z" }],
    },
  } as unknown as Job;
  const pod = (attempt: string, creationTimestamp: string) => ({ metadata: { labels: { "muster.dev/attempt": attempt }, creationTimestamp } }) as unknown as Pod;
  const second = (text: string) => Date.parse(text) / 1000;
  expect(marksOf(job, [pod("1", "2026-01-01T00:00:31Z"), pod("1", "2026-01-01T00:00:30Z"), pod("0", "2026-01-01T00:00:00Z")])).toEqual([
    { time: second("2026-01-01T00:00:00Z"), label: "Started" }, { time: second("2026-01-01T00:00:30Z"), label: "Attempt 2" }, { time: second("2026-01-01T00:01:00Z"), label: "Succeeded" }]);
  expect(marksOf({ status: {} } as Job, [])).toEqual([]);
});
