// Jobs of every kind, as the server summarises them. The console reads nothing else of a job to know how it is.
import type { Condition } from "#types";
import type { KubernetesObject } from "./collection";

export type JobState = "Pending" | "Running" | "Restarting" | "Paused" | "Resuming" | "Succeeded" | "Failed" | "Stopped" | "Deleting" | "Unknown";

export interface RoleSummary {
  name: string;
  replicas: number;
  firstRank: number;
  /** That each replica runs as ranks; 0 for a launcher. */
  processes: number;
}

/** What is known about a job, as encode() of src/jobs/summary.h writes it. */
export interface JobSummary {
  state: JobState;
  replicas: { wanted: number; running: number; succeeded: number };
  restarts: number;
  /** In the order of their ranks. */
  roles: RoleSummary[];
  resources: Record<string, { requests?: string; limits?: string }>;
  /** Why it waits, restarts, does nothing, or failed. */
  cause?: string;
  outcome?: string;
  restartLimit?: number;
  queue?: string;
  priority?: number;
  priorityClass?: string;
  decider?: string;
  decidingPod?: string;
  tensorboard?: string;
  gpus?: number;
  stalled?: boolean;
  /** A user wants it to pause, or it is paused. */
  paused?: boolean;
  elastic?: { least: number; most: number };
  claims?: string[];
  startTime?: string;
  completionTime?: string;
}

export interface Job extends KubernetesObject {
  /** Absent for a kind that the server does not know, such as another operator's. */
  summary?: JobSummary;
  /** Asked for by the page of the job alone, which shows them as they are. */
  status?: { conditions?: Condition[] };
}

/** The conditions for people: in one of them the operator of a cluster keeps what it remembers about the job. */
export const conditionsOf = (job: Job): Condition[] => (job.status?.conditions ?? []).filter((one) => one.type !== "MusterState");

const unknown: JobSummary = { state: "Unknown", replicas: { wanted: 0, running: 0, succeeded: 0 }, restarts: 0, roles: [], resources: {} };
export const summaryOf = (job: Job): JobSummary => job.summary ?? unknown;

export interface JobKind {
  kind: string;
  plural: string;
  group: string;
  version: string;
}

export function collectionPath(kind: JobKind, ns: string): string {
  return `/apis/${kind.group}/${kind.version}/${ns ? `namespaces/${encodeURIComponent(ns)}/` : ""}${kind.plural}`;
}

/** "pytorchtrainingjobs.batch.tensorstack.dev": names the kind in addresses. */
export const resourceName = (kind: JobKind) => `${kind.plural}.${kind.group}`;

export const groupOf = (object: { apiVersion: string }) => object.apiVersion.split("/")[0] ?? "";
