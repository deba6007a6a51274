import type { PersistentVolumeClaim, Pod } from "#types";
import { expect, it } from "vitest";
import { claimManifest, sizeOf, stateOf, usedOf, usersOf } from "./claims";

const claim: PersistentVolumeClaim = {
  apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name: "mnist", namespace: "default", annotations: { "muster.dev/used": "55050240" } },
  spec: { resources: { requests: { storage: "2Gi" } } }, status: { phase: "Bound", capacity: { storage: "1Gi" } } };

function pod(name: string, phase: "Running" | "Succeeded", claimName: string, namespace = "default"): Pod {
  return { apiVersion: "v1", kind: "Pod", metadata: { name, namespace }, status: { phase },
    spec: { containers: [], volumes: [{ name: "data", persistentVolumeClaim: { claimName } }] } };
}

it("is used by pods that mount it and have not ended", () => {
  const pods = [pod("b", "Running", "mnist"), pod("a", "Running", "mnist"), pod("c", "Succeeded", "mnist"), pod("d", "Running", "other"), pod("e", "Running", "mnist", "team")];
  expect(usersOf(claim, pods)).toEqual(["a", "b"]);
});

it("has the size of its storage, and until it has one the size that is wanted", () => {
  expect(sizeOf(claim)).toBe("1Gi");
  expect(sizeOf({ ...claim, status: {} })).toBe("2Gi");
  expect(usedOf(claim)).toBe("52.50Mi");
  expect(usedOf({ ...claim, metadata: {} })).toBe("-");
});

it("is being deleted whatever its phase is", () => {
  expect(stateOf(claim)).toBe("Bound");
  expect(stateOf({ ...claim, metadata: { deletionTimestamp: "2026-11-17T10:00:00Z" } })).toBe("Deleting");
});

it("is created with what was typed", () => {
  expect(claimManifest({ name: "a", size: "1.5Gi", accessMode: "ReadWriteOnce" }).spec).toEqual({
    accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1.5Gi" } } });
});
