// What the server is asked about jobs and told to do to them, in requests of our own and by discovery.
import { getJson, postJson } from "./client";
import { resourceName, type Job, type JobKind } from "./jobs";
import { jobPath } from "./paths";

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

export type Verb = "pause" | "resume" | "stop" | "scale" | "rerun";

/** Does to a job what muster does under the same name. The name is that of the new job after a rerun. */
export const actOn = (job: Job, kind: JobKind, verb: Verb, body: { replicas?: number } = {}) =>
  postJson<{ outcome: string; name?: string }>(`${jobPath(job.metadata?.namespace ?? "", resourceName(kind), job.metadata?.name ?? "")}/${verb}`, body);
