// Requests to the Kubernetes API with the login of this browser. Errors are the server's own Status.
import { errorOf, offline } from "./errors";
import { bearer, distrust, forget } from "./login";

export { ApiError, asApiError, type Status } from "./errors";

export async function send(method: string, path: string, body?: string | Blob, type = "application/json", more: Record<string, string> = {}): Promise<Response> {
  const headers: Record<string, string> = { Authorization: `Bearer ${await bearer()}`, Accept: "application/json, */*", ...more };
  if (body !== undefined) headers["Content-Type"] = type;
  let response: Response;
  try {
    response = await fetch(path, { method, headers, ...(body === undefined ? {} : { body }) });
  } catch {
    distrust();
    throw offline();
  }
  if (response.status === 401) forget();
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
