// The protocol v5.channel.k8s.io: a program in a container over a WebSocket. The first byte of each message is the number of a channel.
import { corePath, objectPath } from "../api/paths";

export const channels = { stdin: 0, stdout: 1, stderr: 2, status: 3, resize: 4 } as const;

/** How it ended: by itself, by an error of the server, or because the connection broke. */
export type ExecEnd = { how: "exited"; code: number } | { how: "refused"; message: string } | { how: "lost" };

export function execPath(ns: string, pod: string, container: string, command: string[]): string {
  const query = new URLSearchParams({ container, stdin: "true", stdout: "true", tty: "true" });
  for (const word of command) query.append("command", word);
  return `${objectPath(corePath("pods", ns), pod)}/exec?${query}`;
}

/** The Status that comes last: a program that ended with another code than 0 is a failure with the code as its cause. */
export function parseEnd(text: string): ExecEnd {
  const status = JSON.parse(text) as { status?: string; message?: string; details?: { causes?: { reason?: string; message?: string }[] } };
  if (status.status === "Success") return { how: "exited", code: 0 };
  const code = status.details?.causes?.find((cause) => cause.reason === "ExitCode")?.message;
  return code === undefined ? { how: "refused", message: status.message ?? "" } : { how: "exited", code: Number(code) };
}

export function frame(channel: number, text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  const message = new Uint8Array(bytes.length + 1);
  message[0] = channel;
  message.set(bytes, 1);
  return message;
}
