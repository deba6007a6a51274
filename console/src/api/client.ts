// Requests to the Kubernetes API with the token of this tab. Errors are the server's own Status.
import { signal } from "@preact/signals";

export interface Status {
  message?: string;
  reason?: string;
  code?: number;
  details?: { causes?: { field?: string; message?: string; reason?: string }[] };
}

export class ApiError extends Error {
  readonly code: number;
  readonly reason: string;
  readonly causes: { field: string; message: string }[];
  constructor(status: Status, code = status.code ?? 0) {
    super(status.message || (code ? `HTTP ${code}` : ""));
    this.code = code;
    this.reason = status.reason ?? "";
    this.causes = (status.details?.causes ?? []).map((cause) => ({ field: cause.field ?? "", message: cause.message ?? "" }));
  }
}

// The tab's own storage survives a reload and ends with the tab; a cookie would be sent to other ports of this machine.
const tokenKey = "muster-token";
export const token = signal(sessionStorage.getItem(tokenKey) ?? "");

export function setToken(value: string): void {
  token.value = value;
  if (value) sessionStorage.setItem(tokenKey, value);
  else sessionStorage.removeItem(tokenKey);
}

async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text();
  try {
    return new ApiError(JSON.parse(text) as Status, response.status);
  } catch {
    return new ApiError({ message: text }, response.status);
  }
}

export const asApiError = (problem: unknown) => (problem instanceof ApiError ? problem : new ApiError({ message: String(problem) }));

export async function send(method: string, path: string, body?: string | Blob, type = "application/json", more: Record<string, string> = {}): Promise<Response> {
  const headers: Record<string, string> = { Authorization: `Bearer ${token.value}`, Accept: "application/json, */*", ...more };
  if (body !== undefined) headers["Content-Type"] = type;
  let response: Response;
  try {
    response = await fetch(path, { method, headers, ...(body === undefined ? {} : { body }) });
  } catch {
    throw new ApiError({ message: "", reason: "Offline" });
  }
  if (response.status === 401) setToken("");
  if (!response.ok) throw await errorOf(response);
  return response;
}

export async function getJson<T>(path: string): Promise<T> {
  return (await (await send("GET", path)).json()) as T;
}

export async function postJson<T>(path: string, body: unknown): Promise<T> {
  return (await (await send("POST", path, JSON.stringify(body))).json()) as T;
}

export async function mergePatch<T>(path: string, patch: unknown): Promise<T> {
  return (await (await send("PATCH", path, JSON.stringify(patch), "application/merge-patch+json")).json()) as T;
}

interface Session {
  token: string;
  expires: string;
}

/** Trades the code of a one-time link for a token. */
export async function logIn(code: string): Promise<void> {
  const response = await fetch("/console/login", { method: "POST", headers: { Authorization: `Bearer ${code}` } });
  if (!response.ok) throw await errorOf(response);
  keepLogin((await response.json()) as Session);
}

let renewal: ReturnType<typeof setTimeout> | undefined;

/** Asks for another token when half of this one's life is over. */
function keepLogin(session: Session): void {
  setToken(session.token);
  clearTimeout(renewal);
  renewal = setTimeout(renewLogin, (Date.parse(session.expires) - Date.now()) / 2);
}

export async function renewLogin(): Promise<void> {
  keepLogin(await postJson<Session>("/apis/muster.dev/v1/console/session", {}));
}

export async function logOut(): Promise<void> {
  clearTimeout(renewal);
  await send("DELETE", "/apis/muster.dev/v1/console/session").catch(() => undefined);
  setToken("");
}
