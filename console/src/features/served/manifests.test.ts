import type { TensorBoard } from "#types";
import { describe, expect, it } from "vitest";
import { boardManifest, claimsOf, foldersOf, imageOf, notebookManifest } from "./manifests";

describe("a TensorBoard", () => {
  it("shows the folders that were typed, those of a volume together", () => {
    expect(boardManifest({ name: "a", folders: "mnist/log\nother\n mnist/log2/x \n", image: "" }).spec).toEqual({
      logDir: { pvc: [{ name: "mnist", subPath: ["log", "log2/x"] }, { name: "other" }] } });
  });
  it("is listed alike in all three spellings", () => {
    const of = (spec: TensorBoard["spec"]) => foldersOf({ apiVersion: "tensorstack.dev/v1beta1", kind: "TensorBoard", spec });
    const same = ["t9k://pvc/p/a/log"];
    expect(of({ trainingLogFilesets: same })).toEqual(same);
    expect(of({ logDir: { pvc: [{ name: "p", subPath: ["./a/log"] }] } })).toEqual(same);
    expect(of({ logDir: { pvc: [{ name: "p", subpath: ["a/log/"] }] } })).toEqual(same);
    expect(of({ logDir: { pvc: [{ name: "p" }] } })).toEqual(["t9k://pvc/p"]);
  });
});

it("makes a notebook with its volume as home", () => {
  const made = notebookManifest({ name: "mnist", image: "torch", claim: "mnist", cpu: "4", memory: "", gpus: "", idle: "90" });
  expect(made.spec.stopAfterIdleSeconds).toBe(5400);
  expect(made.spec.template.spec).toEqual({
    containers: [{ name: "notebook", image: "torch", volumeMounts: [{ name: "home", mountPath: "/t9k/mnt" }], resources: { limits: { cpu: "4" } } }],
    volumes: [{ name: "home", persistentVolumeClaim: { claimName: "mnist" } }] });
  expect(claimsOf(made)).toEqual(["mnist"]);
  expect(imageOf(made)).toBe("torch");
});
