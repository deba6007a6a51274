import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { toYaml } from "../../lib/yaml";
import { emptyForm, emptyRole, manifestOf, splitWords } from "./manifest";

describe("the form", () => {
  it("can express tutorial 001's job", () => {
    const both = { image: "t9kpublic/pytorch-1.13.0:sdk-0.5.2", workingDir: "/t9k/mnt/tutorial-examples/job/pytorchtrainingjob/ps", runAsUser: "1000", volumes: "tutorial:/t9k/mnt" };
    const made = manifestOf({
      ...emptyForm(), name: "torch-mnist-trainingjob-ps", useRunPolicy: true, backoffLimit: "20", cleanUpPolicy: "Unfinished",
      useTensorBoard: true, tensorBoardLogs: "tutorial/tutorial-examples/job/pytorchtrainingjob/ps/log", tensorBoardImage: "t9kpublic/tensorflow-2.11.0:cpu-sdk-0.5.2",
      roles: [
        { ...emptyRole("ps"), ...both, command: "python torch_mnist_trainingjob_ps.py --no_cuda", cpuRequest: "8", cpuLimit: "16", memoryRequest: "4Gi", memoryLimit: "8Gi" },
        { ...emptyRole("worker"), ...both, replicas: "4", command: "python torch_mnist_trainingjob_ps.py --no_cuda --save_path ./model_state_dict.pt --log_dir log",
          cpuRequest: "2", cpuLimit: "4", memoryRequest: "2Gi", memoryLimit: "4Gi" },
      ] });
    expect(parse(toYaml(made))).toEqual(parse(readFileSync("../examples/pytorchtrainingjob/ps/job_cpu.yaml", "utf8")));
  });
  it("leaves out what is empty", () => {
    expect(manifestOf({ ...emptyForm(), name: "a" }).spec).toEqual({
      replicaSpecs: [{ type: "worker", replicas: 1, restartPolicy: "OnFailure", template: { spec: { containers: [{ name: "pytorch" }] } } }] });
  });
  it("has volumes, variables and resources", () => {
    const role = { ...emptyRole("node"), volumes: "tutorial:/t9k/mnt\ntutorial:/data", env: "A=1\nB=x=y", gpus: "2", cpuLimit: "4", memoryRequest: "8Gi" };
    const pod = manifestOf({ ...emptyForm(), roles: [role] }).spec.replicaSpecs[0]?.template.spec;
    expect(pod?.volumes).toEqual([{ name: "data", persistentVolumeClaim: { claimName: "tutorial" } }]);
    expect(pod?.containers?.[0]).toMatchObject({
      env: [{ name: "A", value: "1" }, { name: "B", value: "x=y" }],
      volumeMounts: [{ name: "data", mountPath: "/t9k/mnt" }, { name: "data", mountPath: "/data" }],
      resources: { requests: { memory: "8Gi" }, limits: { cpu: 4, "nvidia.com/gpu": 2 } } });
  });
  it("keeps a wrong number, so that the server can say what is wrong with it", () => {
    expect(manifestOf({ ...emptyForm(), roles: [{ ...emptyRole("a"), replicas: "two" }] }).spec.replicaSpecs[0]?.replicas).toBe("two");
  });
  it("splits words like a shell", () => {
    expect(splitWords(`python -c "print(\\"a b\\")" 'x y' z=1`)).toEqual(["python", "-c", 'print("a b")', "x y", "z=1"]);
  });
});
