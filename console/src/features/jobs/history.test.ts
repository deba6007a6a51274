import { expect, it } from "vitest";
import type { Pod } from "#types";
import { isPast, lastOfEach, type PastPod } from "./history";

const pod = (name: string, attempt: number): Pod =>
  ({ metadata: { name, uid: `${name}/${attempt}`, labels: { "muster.dev/attempt": String(attempt) } }, spec: { containers: [] } }) as unknown as Pod;
const past = (name: string, attempt: number): PastPod => ({ ...pod(name, attempt), past: { hasLog: true } });
const uids = (pods: Pod[]) => pods.map((one) => one.metadata?.uid);

it("a pod that exists is the last of its replica, else the highest attempt", () => {
  const { last, earlier } = lastOfEach([pod("w-0", 1)], [past("w-0", 0), past("w-1", 0), past("w-1", 2), past("w-1", 1)]);
  expect(uids(last)).toEqual(["w-0/1", "w-1/2"]);
  expect(uids(earlier)).toEqual(["w-0/0", "w-1/0", "w-1/1"]);
  expect(last.map(isPast)).toEqual([false, true]);
});

it("a pod that is remembered twice, or that still exists, is there once", () => {
  const { last, earlier } = lastOfEach([pod("w-0", 0)], [past("w-0", 0), past("w-1", 0), past("w-1", 0)]);
  expect(uids(last)).toEqual(["w-0/0", "w-1/0"]);
  expect(earlier).toEqual([]);
});
