// A live collection: the objects of a path, kept up to date by a watch that begins with all of them, or after a list of
// them on a server whose watches cannot. It resumes from the last revision after a pause, and starts again when the
// server no longer has that revision (410).
import { signal, type ReadonlySignal } from "@preact/signals";
import type { ObjectMeta } from "#types";
import { ApiError, getJson, type Status } from "./client";
import { openStream, readList } from "./streams";

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

interface List<T> {
  apiVersion: string;
  kind: string;
  metadata: { resourceVersion?: string; continue?: string };
  items: T[];
}

const initialEnd = "k8s.io/initial-events-end";
const pageSize = 500;
// Found out by the first collection, and true for all of a server.
let mustListFirst = false;
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

  /** One page of a list; the last one completes it. The items of a list do not say what they are. */
  takePage(list: List<T>): void {
    const what = { apiVersion: list.apiVersion, kind: list.kind.replace(/List$/, "") };
    for (const item of list.items) this.arriving?.set(keyOf({ ...what, ...item }), { ...what, ...item });
    if (list.metadata.continue) return;
    this.current = this.arriving ?? this.current;
    this.arriving = undefined;
    this.revision = list.metadata.resourceVersion ?? "";
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
    if (error.code === 422 && !mustListFirst) {
      mustListFirst = true;
      return open(true);
    }
    state.value = { state: "failed", error };
    clearTimeout(retry);
    retry = setTimeout(() => open(true), retryAfter);
  };
  const selected = () => {
    const query = new URLSearchParams();
    if (selection.labels) query.set("labelSelector", selection.labels);
    if (selection.fields) query.set("fieldSelector", selection.fields);
    return query;
  };
  /** For servers without watches that begin with everything: Kubernetes has them behind a feature gate. */
  const listFirst = async () => {
    kept.beginAnew();
    for (let next: string | undefined = ""; next !== undefined && !closed; ) {
      const query = selected();
      query.set("limit", String(pageSize));
      if (next) query.set("continue", next);
      const from = `${path}?${query}`;
      const page: List<T> = await (selection.members ? readList<List<T>>(from, selection.members) : getJson<List<T>>(from));
      kept.takePage(page);
      next = page.metadata.continue || undefined;
    }
    show();
    open(false);
  };
  const open = (restart: boolean) => {
    if (closed) return;
    close();
    const query = selected();
    query.set("watch", "true");
    query.set("allowWatchBookmarks", "true");
    const begins = restart || !kept.revision || !kept.isComplete;
    if (begins && mustListFirst) return void listFirst().catch((error: unknown) => fail(error instanceof ApiError ? error : new ApiError({ message: String(error) })));
    if (begins) {
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
