// What the pages say about a job, as pure functions of its summary.
import { summaryOf, type Job, type JobState } from "../../api/jobs";
import { formatBytes, formatCpu, parseQuantity } from "../../lib/quantity";

export const stateOf = (job: Job): JobState => summaryOf(job).state;

/** What the tutorials and other tools call the same states, for the search. */
const otherWords: Partial<Record<JobState, string>> = { Succeeded: "done completed", Failed: "error" };

/** Why the job waits or failed, in the server's own words; "" for a job that needs nobody. */
export const causeOf = (job: Job) => summaryOf(job).cause ?? "";

const ended: JobState[] = ["Succeeded", "Failed", "Stopped"];
export const hasEnded = (job: Job) => ended.includes(stateOf(job));

/** Whether something can still be done to it. */
const isActive = (job: Job) => !hasEnded(job) && !["Deleting", "Unknown"].includes(stateOf(job));
export const canPause = (job: Job) => isActive(job) && !summaryOf(job).paused;
export const canResume = (job: Job) => isActive(job) && Boolean(summaryOf(job).paused);
export const canStop = isActive;
export const canScale = (job: Job) => isActive(job) && summaryOf(job).elastic !== undefined;

export interface Amounts {
  request: number | undefined;
  limit: number | undefined;
}

function sum(job: Job, resource: string): Amounts {
  const { requests, limits } = summaryOf(job).resources[resource] ?? {};
  return { request: parseQuantity(requests), limit: parseQuantity(limits) };
}

export const cpuOf = (job: Job) => sum(job, "cpu");
export const memoryOf = (job: Job) => sum(job, "memory");
export const cpuText = ({ request, limit }: Amounts) => `${formatCpu(request)} / ${formatCpu(limit)}`;
export const memoryText = ({ request, limit }: Amounts) => `${formatBytes(request)} / ${formatBytes(limit)}`;

/** "3/4": how many replicas run or have succeeded, of all. */
export function readyText(job: Job): string {
  const { wanted, running, succeeded } = summaryOf(job).replicas;
  return `${running + succeeded}/${wanted}`;
}

export const queueOf = (job: Job) => summaryOf(job).queue ?? "";

export const labelsOf = (job: Job) => Object.entries(job.metadata?.labels ?? {}).map(([key, value]) => (value ? `${key}=${value}` : key));

// ---- the list ----

export interface Filter {
  search: string;
  phase: string;
  kind: string;
  label: string;
  queue: string;
}

/** By part of the name, or by the beginning of a word for the state. */
function matchesSearch(job: Job, search: string): boolean {
  const state = stateOf(job);
  const words = `${state} ${otherWords[state] ?? ""}`.toLowerCase().split(" ");
  const name = job.metadata?.name ?? "";
  return search.toLowerCase().split(/\s+/).every((text) => name.includes(text) || (text.length > 2 && words.some((word) => word.startsWith(text))));
}

export function matches(job: Job, filter: Filter): boolean {
  if (filter.phase && stateOf(job) !== filter.phase) return false;
  if (filter.kind && job.kind !== filter.kind) return false;
  if (filter.queue && queueOf(job) !== filter.queue) return false;
  if (filter.label && !labelsOf(job).some((label) => label === filter.label || label.startsWith(`${filter.label}=`))) return false;
  return matchesSearch(job, filter.search.trim());
}
