// Runs a program in a container, with a terminal of its own.
import { channels, frame, parseEnd, type ExecEnd } from "../lib/exec";
import { getJson, type ApiError } from "./client";
import { openSocket } from "./socket";

export interface ExecHandlers {
  onOpen(): void;
  onOutput(bytes: Uint8Array): void;
  onEnd(end: ExecEnd): void;
}

export interface ExecSession {
  write(text: string): void;
  resize(columns: number, rows: number): void;
  close(): void;
}

/** A browser does not tell why an upgrade was refused, so the server is asked again without one. */
async function whyRefused(path: string): Promise<ExecEnd> {
  const error = await getJson(path).then(() => undefined, (problem: ApiError) => problem);
  return error && error.code !== 400 && error.message ? { how: "refused", message: error.message } : { how: "lost" };
}

export function openExec(path: string, handlers: ExecHandlers): ExecSession {
  let socket: WebSocket | undefined;
  let opened = false;
  let ended = false;
  const end = (how: ExecEnd) => {
    if (ended) return;
    ended = true;
    handlers.onEnd(how);
  };
  const listen = (made: WebSocket) => {
    if (ended) return made.close();
    socket = made;
    made.onopen = () => {
      opened = true;
      handlers.onOpen();
    };
    made.onmessage = (event: MessageEvent<ArrayBuffer>) => {
      const message = new Uint8Array(event.data);
      const bytes = message.subarray(1);
      if (message[0] === channels.stdout || message[0] === channels.stderr) handlers.onOutput(bytes);
      else if (message[0] === channels.status) end(parseEnd(new TextDecoder().decode(bytes)));
    };
    made.onclose = () => {
      if (opened) end({ how: "lost" });
      else if (!ended) void whyRefused(path).then(end);
    };
  };
  openSocket(path, "v5.channel.k8s.io").then(listen, () => end({ how: "lost" }));
  const send = (channel: number, text: string) => {
    if (socket?.readyState === WebSocket.OPEN) socket.send(frame(channel, text));
  };
  return {
    write: (text) => send(channels.stdin, text),
    resize: (columns, rows) => send(channels.resize, JSON.stringify({ Width: columns, Height: rows })),
    close: () => {
      ended = true;
      socket?.close();
    },
  };
}
