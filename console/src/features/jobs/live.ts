// The jobs of all kinds in one namespace, as one live list.
import { computed, signal } from "@preact/signals";
import { asApiError, getJson, type ApiError } from "../../api/client";
import { watchCollection, type Collection, type CollectionState } from "../../api/collection";
import { findJobKinds } from "../../api/jobRequests";
import { collectionPath, groupOf, resourceName, type Job, type JobKind } from "../../api/jobs";
import { ownPath } from "../../api/paths";
import { hrefOf, withNamespace } from "../../lib/router";

export const members = [
  "apiVersion", "kind", "metadata.name", "metadata.namespace", "metadata.uid", "metadata.labels", "metadata.creationTimestamp",
  "metadata.resourceVersion", "summary",
];

/** The beginning of the list, newest first, and how long it is. */
export interface FirstJobs {
  jobs: Job[];
  total: number;
}
const firstCount = 50;  // more than a screen of rows
const untilRowsAreShown = 100;  // milliseconds

export const kinds = signal<JobKind[]>([]);
const newest = signal<FirstJobs | undefined>(undefined);
const failure = signal<ApiError | undefined>(undefined);
const collections = signal<Collection<Job>[]>([]);
let watchedNamespace: string | undefined;
let generation = 0;

export async function loadKinds(): Promise<JobKind[]> {
  if (kinds.value.length === 0) kinds.value = await findJobKinds();
  return kinds.value;
}

/** Nothing on a server that does not answer: then the rows wait for the whole list. */
async function findNewest(ns: string): Promise<FirstJobs | undefined> {
  interface JobList {
    metadata: { remainingItemCount?: number };
    items: Job[];
  }
  const path = `${ownPath("jobs", ns)}?limit=${firstCount}&fields=${members.join(",")}`;
  const list = await getJson<JobList>(path).catch(() => undefined);
  return list && { jobs: list.items, total: list.items.length + (list.metadata.remainingItemCount ?? 0) };
}

/** Resolves once the first rows can be shown, or never will be before the rest. */
async function findJobs(ns: string, isWanted: () => boolean): Promise<void> {
  const [found, first] = await Promise.all([loadKinds(), findNewest(ns)]);
  if (!isWanted()) return;
  newest.value = first;
  const watchAll = () => {
    if (isWanted()) collections.value = found.map((kind) => watchCollection<Job>(collectionPath(kind, ns), { members }));
  };
  setTimeout(watchAll, first ? untilRowsAreShown : 0);  // all jobs at once would delay the first of them
}

/** Watches the jobs of a namespace; "" is all of them. The list stays as it is when it is watched already. */
export async function watchJobs(ns: string): Promise<void> {
  if (watchedNamespace === ns) return;
  stopJobs();
  watchedNamespace = ns;
  const mine = generation;
  await findJobs(ns, () => mine === generation).catch((error: unknown) => {
    if (mine === generation) failure.value = asApiError(error);
  });
}

export function stopJobs(): void {
  generation += 1;
  watchedNamespace = undefined;
  failure.value = undefined;
  newest.value = undefined;
  for (const collection of collections.value) collection.close();
  collections.value = [];
}

/** The refresh icon: lists everything again. */
export function reloadJobs(): void {
  const ns = watchedNamespace;
  if (failure.value && ns !== undefined) {
    stopJobs();
    return void watchJobs(ns);
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

/** While the whole list is on its way. */
export const firstJobs = computed(() => (jobsState.value.state === "loading" ? newest.value : undefined));

export const shownJobs = () => jobs.peek();

export function kindOf(job: Job): JobKind | undefined {
  return kinds.value.find((kind) => kind.kind === job.kind && kind.group === groupOf(job));
}

export function jobHref(job: Job, query: Record<string, string> = {}): string {
  const kind = kindOf(job);
  const path = ["jobs", job.metadata?.namespace ?? "", kind ? resourceName(kind) : "", job.metadata?.name ?? ""];
  return hrefOf(path, withNamespace(query));
}
