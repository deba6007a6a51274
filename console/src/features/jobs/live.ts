// The jobs of all kinds in one namespace, as one live list.
import { computed, signal } from "@preact/signals";
import { ApiError } from "../../api/client";
import { watchCollection, type Collection, type CollectionState } from "../../api/collection";
import { collectionPath, findJobKinds, groupOf, resourceName, type Job, type JobKind } from "../../api/jobs";
import { hrefOf, withNamespace } from "../../lib/router";

const members = [
  "apiVersion", "kind", "metadata.name", "metadata.namespace", "metadata.uid", "metadata.labels", "metadata.creationTimestamp",
  "metadata.deletionTimestamp", "metadata.resourceVersion", "spec", "status",
];

export const kinds = signal<JobKind[]>([]);
const failure = signal<ApiError | undefined>(undefined);
const collections = signal<Collection<Job>[]>([]);
let watchedNamespace: string | undefined;
let generation = 0;

export async function loadKinds(): Promise<JobKind[]> {
  if (kinds.value.length === 0) kinds.value = await findJobKinds();
  return kinds.value;
}

/** Watches the jobs of a namespace; "" is all of them. The list stays as it is when it is watched already. */
export function watchJobs(ns: string): void {
  if (watchedNamespace === ns) return;
  stopJobs();
  watchedNamespace = ns;
  const mine = generation;
  loadKinds().then(
    (found) => {
      if (mine !== generation) return;
      collections.value = found.map((kind) => watchCollection<Job>(collectionPath(kind, ns), { members }));
    },
    (error: unknown) => {
      if (mine === generation) failure.value = error instanceof ApiError ? error : new ApiError({ message: String(error) });
    },
  );
}

export function stopJobs(): void {
  generation += 1;
  watchedNamespace = undefined;
  failure.value = undefined;
  for (const collection of collections.value) collection.close();
  collections.value = [];
}

/** The refresh icon: lists everything again. */
export function reloadJobs(): void {
  const ns = watchedNamespace;
  if (failure.value && ns !== undefined) {
    stopJobs();
    return watchJobs(ns);
  }
  for (const collection of collections.value) collection.reload();
}

export const jobs = computed<Job[]>(() => collections.value.flatMap((collection) => [...collection.items.value.values()]));

export const jobsState = computed<CollectionState>(() => {
  if (failure.value) return { state: "failed", error: failure.value };
  const states = collections.value.map((collection) => collection.state.value);
  const failed = states.find((one) => one.state === "failed");
  if (failed) return failed;
  return states.length > 0 && states.every((one) => one.state === "live") ? { state: "live" } : { state: "loading" };
});

export const shownJobs = () => jobs.peek();

export function kindOf(job: Job): JobKind | undefined {
  return kinds.value.find((kind) => kind.kind === job.kind && kind.group === groupOf(job));
}

export function jobHref(job: Job, query: Record<string, string> = {}): string {
  const kind = kindOf(job);
  const path = ["jobs", job.metadata?.namespace ?? "", kind ? resourceName(kind) : "", job.metadata?.name ?? ""];
  return hrefOf(path, withNamespace(query));
}
