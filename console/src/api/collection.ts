// A live collection: the objects of a path, kept up to date by a watch that begins with all of them. It goes on from the
// last revision after a pause, and begins anew when the server no longer has that revision (410).
import { signal, type ReadonlySignal } from "@preact/signals";
import type { ObjectMeta } from "#types";
import { ApiError, type Status } from "./client";
import { openStream } from "./streams";

export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata?: ObjectMeta;
}

export type CollectionState = { state: "loading" } | { state: "live" } | { state: "failed"; error: ApiError };

export interface Collection<T> {
  readonly items: ReadonlySignal<ReadonlyMap<string, T>>;
  readonly state: ReadonlySignal<CollectionState>;
  /** Lists everything again. */
  reload(): void;
  close(): void;
}

export interface Selection {
  labels?: string;
  fields?: string;
  /** The members of each object that are needed; all of them when left out. */
  members?: string[];
}

interface WatchEvent<T> {
  type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  object: T;
}

const initialEnd = "k8s.io/initial-events-end";
// Events are shown together, at most once per frame.
const frame = 16;
const retryAfter = 2000;

export const keyOf = (object: KubernetesObject) =>
  `${object.kind}/${object.metadata?.namespace ?? ""}/${object.metadata?.name ?? ""}`;

/** The changes of a watch applied to a map. Pure, apart from the map it owns. */
export class Items<T extends KubernetesObject> {
  private current = new Map<string, T>();
  private arriving: Map<string, T> | undefined;
  revision = "";

  /** The next events describe everything there is. */
  beginAnew(): void {
    this.arriving = new Map();
    this.revision = "";
  }

  /** Returns the error of an ERROR event. */
  apply(event: WatchEvent<T>): ApiError | undefined {
    if (event.type === "ERROR") return new ApiError(event.object as Status);
    const meta = event.object.metadata;
    if (meta?.resourceVersion) this.revision = meta.resourceVersion;
    if (event.type === "BOOKMARK") {
      if (meta?.annotations?.[initialEnd] === "true" && this.arriving) {
        this.current = this.arriving;
        this.arriving = undefined;
      }
      return undefined;
    }
    const into = this.arriving ?? this.current;
    if (event.type === "DELETED") into.delete(keyOf(event.object));
    else into.set(keyOf(event.object), event.object);
    return undefined;
  }

  get isComplete(): boolean {
    return this.arriving === undefined;
  }
  snapshot(): ReadonlyMap<string, T> {
    return new Map(this.current);
  }
}

export function watchCollection<T extends KubernetesObject>(path: string, selection: Selection = {}): Collection<T> {
  const items = signal<ReadonlyMap<string, T>>(new Map());
  const state = signal<CollectionState>({ state: "loading" });
  const kept = new Items<T>();
  let close = () => {};
  let flush: ReturnType<typeof setTimeout> | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let closed = false;

  const show = () => {
    flush = undefined;
    if (!kept.isComplete) return;
    items.value = kept.snapshot();
    if (state.value.state !== "live") state.value = { state: "live" };
  };
  const fail = (error: ApiError) => {
    if (closed) return;
    if (error.code === 410) return open(true);
    state.value = { state: "failed", error };
    clearTimeout(retry);
    retry = setTimeout(() => open(true), retryAfter);
  };
  const open = (anew: boolean) => {
    if (closed) return;
    close();
    const query = new URLSearchParams({ watch: "true", allowWatchBookmarks: "true" });
    if (selection.labels) query.set("labelSelector", selection.labels);
    if (selection.fields) query.set("fieldSelector", selection.fields);
    if (anew || !kept.revision || !kept.isComplete) {
      kept.beginAnew();
      query.set("sendInitialEvents", "true");
      query.set("resourceVersionMatch", "NotOlderThan");
    } else {
      query.set("resourceVersion", kept.revision);
    }
    close = openStream(`${path}?${query}`, selection.members ?? [], {
      onLines: (lines) => {
        for (const line of lines) {
          const error = kept.apply(JSON.parse(line) as WatchEvent<T>);
          if (error) return fail(error);
        }
        flush ??= setTimeout(show, frame);
      },
      onEnd: (error) => (error ? fail(error) : open(false)),
      onReconnect: () => open(false),
    });
  };
  open(true);
  return {
    items,
    state,
    reload: () => open(true),
    close: () => {
      closed = true;
      clearTimeout(flush);
      clearTimeout(retry);
      close();
    },
  };
}
