// Many streams over one WebSocket (src/web/console/stream_socket.h): watches and followed logs. After a broken connection each
// stream is opened again by its owner, who knows where to resume.
import { signal } from "@preact/signals";
import { ApiError, getJson, type Status } from "./client";
import { loggedIn } from "./login";
import { openSocket } from "./socket";

export interface StreamHandlers {
  onLines(lines: string[]): void;
  /** The stream ended: regularly (null), or by an error of the server. */
  onEnd(error: ApiError | null): void;
  /** The connection broke, and is back now. */
  onReconnect(): void;
}

interface Stream {
  path: string;
  fields: string[];
  handlers: StreamHandlers;
}

export type Connection = { state: "connecting" } | { state: "live" } | { state: "waiting"; until: number };
export const connection = signal<Connection>({ state: "connecting" });

const streams = new Map<number, Stream>();
const decoder = new TextDecoder();
let socket: WebSocket | undefined;
let opening = false;
let lastId = 0;
let failures = 0;
let retry: ReturnType<typeof setTimeout> | undefined;

function sendOrder(order: unknown): void {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(order));
}

function openOrder(id: number, stream: Stream): unknown {
  return { open: id, path: stream.path, fields: stream.fields };
}

function take(data: ArrayBuffer): void {
  const text = decoder.decode(data);
  const headEnd = text.indexOf("\n");
  const head = JSON.parse(headEnd < 0 ? text : text.slice(0, headEnd)) as { id: number; end?: Status | null };
  const stream = streams.get(head.id);
  if (!stream) return;
  if (head.end !== undefined) {
    streams.delete(head.id);
    return stream.handlers.onEnd(head.end === null ? null : new ApiError(head.end));
  }
  const lines = text.slice(headEnd + 1).split("\n");
  if (lines[lines.length - 1] === "") lines.pop();
  stream.handlers.onLines(lines);
}

function connect(): void {
  clearTimeout(retry);
  if (socket || opening || !loggedIn.value) return;
  opening = true;
  openSocket("/apis/muster.dev/v1/watch", "stream.muster.dev").then(serveStreams, onLost).finally(() => {
    opening = false;
  });
}

function serveStreams(opened: WebSocket): void {
  if (!loggedIn.value) return opened.close();
  socket = opened;
  opened.onopen = () => {
    const again = failures > 0;
    failures = 0;
    connection.value = { state: "live" };
    const before = [...streams];
    if (!again) return before.forEach(([id, stream]) => sendOrder(openOrder(id, stream)));
    streams.clear();
    before.forEach(([, stream]) => stream.handlers.onReconnect());
  };
  opened.onmessage = (event: MessageEvent<ArrayBuffer>) => take(event.data);
  opened.onclose = () => {
    if (socket === opened) onLost();
  };
}

/** Waits longer after each failure, and asks whether the login is still good: a refused upgrade does not say why. */
function onLost(): void {
  socket = undefined;
  failures += 1;
  if (!loggedIn.value) return;
  const wait = Math.min(10_000, 250 * 2 ** (failures - 1));
  connection.value = { state: "waiting", until: Date.now() + wait };
  retry = setTimeout(connect, wait);
  getJson("/version").catch(() => undefined);
}

export function reconnectNow(): void {
  if (connection.value.state === "waiting") connect();
}

/** Returns a function that closes the stream. */
export function openStream(path: string, fields: string[], handlers: StreamHandlers): () => void {
  lastId += 1;
  const id = lastId;
  const stream = { path, fields, handlers };
  streams.set(id, stream);
  if (socket?.readyState === WebSocket.OPEN) sendOrder(openOrder(id, stream));
  else connect();
  return () => {
    if (streams.delete(id)) sendOrder({ close: id });
  };
}

/** Reads a list once, with only these members of its items. */
export function readList<T>(path: string, fields: string[]): Promise<T> {
  return new Promise((resolve, reject) => {
    const lines: string[] = [];
    openStream(path, fields, {
      onLines: (more) => void lines.push(...more),
      onEnd: (error) => (error ? reject(error) : resolve(JSON.parse(lines.join("")) as T)),
      onReconnect: () => reject(new ApiError({ message: "", reason: "Offline" })),
    });
  });
}

export function closeAllStreams(): void {
  clearTimeout(retry);
  streams.clear();
  failures = 0;
  const closing = socket;
  socket = undefined;
  closing?.close();
  connection.value = { state: "connecting" };
}
