import { expect, it } from "vitest";
import { conditionsOf, type Job } from "./jobs";

it("shows the conditions of a job without the one that keeps the operator's state", () => {
  const job = { status: { conditions: [{ type: "MusterState", status: "True" }, { type: "Created", status: "True" }] } } as unknown as Job;
  expect(conditionsOf(job).map((one) => one.type)).toEqual(["Created"]);
  expect(conditionsOf({} as Job)).toEqual([]);
});
