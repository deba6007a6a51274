// What the console knows of jobs of every kind: the parts that all of them share, read from the API's own objects.
import type * as types from "#types";
import { getJson } from "./client";

export type Job =
  | types.PyTorchTrainingJob
  | types.TensorFlowTrainingJob
  | types.XGBoostTrainingJob
  | types.GenericJob
  | types.BatchTensorstackDevV1beta1MPIJob
  | types.PyTorchJob
  | types.TFJob
  | types.KubeflowOrgV1MPIJob;

export interface JobKind {
  kind: string;
  plural: string;
  group: string;
  version: string;
}

// Kubeflow's two versions of MPIJob show the same objects, so one is enough.
const groupVersions = [["batch.tensorstack.dev", "v1beta1"], ["kubeflow.org", "v1"]] as const;

interface ResourceList {
  resources: { name: string; kind: string }[];
}

/** Asks the server which kinds of jobs it has; a group that it lacks has none. */
export async function findJobKinds(): Promise<JobKind[]> {
  const lists = await Promise.all(
    groupVersions.map(async ([group, version]) => {
      const list = await getJson<ResourceList>(`/apis/${group}/${version}`).catch((error: unknown) => {
        if ((error as { code?: number }).code === 404) return { resources: [] };
        throw error;
      });
      return list.resources
        .filter((resource) => resource.kind.endsWith("Job") && !resource.name.includes("/"))
        .map((resource) => ({ kind: resource.kind, plural: resource.name, group, version }));
    }),
  );
  return lists.flat();
}

export function collectionPath(kind: JobKind, ns: string): string {
  return `/apis/${kind.group}/${kind.version}/${ns ? `namespaces/${encodeURIComponent(ns)}/` : ""}${kind.plural}`;
}

/** "pytorchtrainingjobs.batch.tensorstack.dev": names the kind in addresses. */
export const resourceName = (kind: JobKind) => `${kind.plural}.${kind.group}`;

export const groupOf = (object: { apiVersion: string }) => object.apiVersion.split("/")[0] ?? "";
