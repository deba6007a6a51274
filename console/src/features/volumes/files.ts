// The files of a claim, through the API server (src/web/claims/claim_files.cc).
import { ApiError, getJson, send, type Status } from "../../api/client";
import { bearer, distrust } from "../../api/login";
import { objectPath, ownPath } from "../../api/paths";
import { t } from "../../i18n";

export interface Claim {
  ns: string;
  name: string;
}

export interface FileEntry {
  name: string;
  /** The bytes of a name that is not valid text, as part of an address; `name` then has replacement characters. */
  encodedName?: string;
  type: "file" | "folder" | "link" | "other";
  size: number;
  modified: string;
  mode: string;
  etag: string;
}

interface FileList {
  metadata: { continue?: string };
  items: FileEntry[];
}

export const joinPath = (folder: string, name: string) => (folder ? `${folder}/${name}` : name);

/** A path from a person, without the slashes at its ends. */
export const cleanPath = (text: string) => text.replace(/^\/+|\/+$/g, "");

// Within the console, a name that is not valid text is this mark, which names cannot contain, followed by its percent-encoded bytes.
const encodedMark = "\0";
const addressOf = (entry: FileEntry) => (entry.encodedName ? encodedMark + entry.encodedName : entry.name);
const invisible = /[\u0001-\u001f\u007f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/g;  // such as line ends, and what turns "gpj.exe" into "exe.jpg"
/** A name or path as people see it; characters that would show as something else are marked. */
export const shownPath = (path: string) => path.replaceAll(encodedMark, "").replace(invisible, "\ufffd");

function isEncodedName(part: string): boolean {
  if (!/^\0([\w.~-]|%[0-9A-F]{2})+$/.test(part)) return false;
  try {
    decodeURIComponent(part.slice(1));
    return false;
  } catch {
    return true;
  }
}

const encodePath = (path: string) => path.split("/").map((part) => (isEncodedName(part) ? part.slice(1) : encodeURIComponent(part))).join("/");

/** A browser resolves . and .. before it sends a request, which would then be about another file. */
export const isSafePath = (path: string) =>
  path.split("/").every((part) => part !== "" && part !== "." && part !== ".." && (!part.includes("\0") || isEncodedName(part)));

export function fileUrl(claim: Claim, path: string): string {
  if (path && !isSafePath(path)) throw new ApiError({ message: t("files.badPath", { path }), reason: "BadRequest" }, 400);
  return `${objectPath(ownPath("persistentvolumeclaims", claim.ns), claim.name)}/files/${encodePath(path)}`;
}

/** One page of a folder; `after` is where the page before it ended. */
export async function listFolder(claim: Claim, path: string, after: string): Promise<FileList> {
  const response = await send("GET", `${fileUrl(claim, path)}?${new URLSearchParams({ continue: after })}`);
  if (response.headers.get("Content-Type") !== "application/json") {
    await response.body?.cancel();
    throw new ApiError({ message: t("files.notAFolder", { path }), reason: "BadRequest" }, 400);
  }
  const list = (await response.json()) as FileList;
  return { ...list, items: list.items.map((entry) => ({ ...entry, name: addressOf(entry) })) };
}

export const statFile = async (claim: Claim, path: string) => getJson<FileEntry>(`${fileUrl(claim, path)}?stat=true`);

/** The first bytes of a file, and its version. */
export async function readFile(claim: Claim, path: string, most: number): Promise<{ bytes: Blob; etag: string }> {
  const response = await send("GET", fileUrl(claim, path), undefined, "", { Range: `bytes=0-${most - 1}` });
  return { bytes: await response.blob(), etag: response.headers.get("ETag") ?? "" };
}

export const downloadFile = async (claim: Claim, path: string) => (await send("GET", fileUrl(claim, path))).blob();

/** Replaces the version that was read; another one, or a new file that exists already, is refused. */
export async function writeFile(claim: Claim, path: string, text: string, replaced: { etag: string } | "nothing" | "anything"): Promise<FileEntry> {
  const condition: Record<string, string> = replaced === "anything" ? {} : replaced === "nothing" ? { "If-None-Match": "*" } : { "If-Match": replaced.etag };
  const response = await send("PUT", fileUrl(claim, path), new Blob([text]), "application/octet-stream", condition);
  return (await response.json()) as FileEntry;
}

export const makeFolder = async (claim: Claim, path: string) => send("POST", `${fileUrl(claim, path)}?makeFolder=true`);
export const movePath = async (claim: Claim, from: string, to: string) => send("POST", `${fileUrl(claim, from)}?moveTo=${encodePath(to)}`);
export const removePath = async (claim: Claim, path: string) => send("DELETE", `${fileUrl(claim, path)}?recursive=true`);

/** Moves entries into a folder, which is made where it is missing. */
export async function moveInto(claim: Claim, folder: string, names: string[], target: string): Promise<void> {
  if (target) await makeFolder(claim, target);
  for (const name of names) await movePath(claim, joinPath(folder, name), joinPath(target, name));
}

interface UploadOptions {
  replace: boolean;
  onProgress: (sent: number) => void;
  signal: AbortSignal;
}

/** Sends a file as it is read from the disk. Only XMLHttpRequest tells how far it is. */
export async function uploadFile(claim: Claim, path: string, file: File, { replace, onProgress, signal }: UploadOptions): Promise<void> {
  const token = await bearer();
  if (signal.aborted) throw new ApiError({ reason: "Aborted" });
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("PUT", fileUrl(claim, path));
    request.setRequestHeader("Authorization", `Bearer ${token}`);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    if (!replace) request.setRequestHeader("If-None-Match", "*");
    request.upload.onprogress = (event) => onProgress(event.loaded);
    request.onload = () => (request.status < 300 ? resolve() : reject(errorOf(request)));
    request.onerror = () => {
      distrust();
      reject(new ApiError({ reason: "Offline" }));
    };
    request.onabort = () => reject(new ApiError({ reason: "Aborted" }));
    signal.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}

function errorOf(request: XMLHttpRequest): ApiError {
  try {
    return new ApiError(JSON.parse(request.responseText) as Status, request.status);
  } catch {
    return new ApiError({ message: request.responseText }, request.status);
  }
}
