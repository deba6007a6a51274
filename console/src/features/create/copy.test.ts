import { describe, expect, it } from "vitest";
import { freshCopy, nextName } from "./copy";

describe("a copy of a job", () => {
  it("has the next name", () => {
    expect(["mnist", "mnist-2", "mnist-1", "a-9-19"].map(nextName)).toEqual(["mnist-2", "mnist-3", "mnist-1-2", "a-9-20"]);
  });
  it("has what its author wrote, and is not paused", () => {
    const job = {
      apiVersion: "batch.tensorstack.dev/v1beta1", kind: "PyTorchTrainingJob",
      metadata: { name: "a", uid: "1", resourceVersion: "2", labels: { team: "x" }, annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}", "muster.dev/stop": "true", mine: "1" } },
      spec: { runMode: { pause: { enabled: true } }, replicaSpecs: [] }, status: {},
    };
    expect(freshCopy(job, "a-2")).toEqual({
      apiVersion: "batch.tensorstack.dev/v1beta1", kind: "PyTorchTrainingJob", metadata: { name: "a-2", labels: { team: "x" }, annotations: { mine: "1" } }, spec: { replicaSpecs: [] } });
  });
  it("of a suspended Kubeflow job keeps the rest of its policy", () => {
    const job = { apiVersion: "kubeflow.org/v1", kind: "PyTorchJob", metadata: { name: "a" }, spec: { runPolicy: { suspend: true, backoffLimit: 1 }, pytorchReplicaSpecs: {} } };
    expect(freshCopy(job, "b")["spec"]).toEqual({ runPolicy: { backoffLimit: 1 }, pytorchReplicaSpecs: {} });
  });
});
