// Files on their way to a volume, one after the other. They continue while other pages of the console are open.
import { computed, signal } from "@preact/signals";
import { ApiError, asApiError } from "../../api/client";
import { t } from "../../i18n";
import { formatFileSize } from "../../lib/quantity";
import { Button, IconButton } from "../../ui/Button";
import { joinPath, uploadFile, type Claim } from "./files";

interface Upload {
  id: number;
  claim: Claim;
  folder: string;
  file: File;
  replace: boolean;
  state: "waits" | "sends" | "done" | "failed";
  sent: number;
  error?: ApiError;
  abort: AbortController;
}

const uploads = signal<Upload[]>([]);
let lastId = 0;

/** Grows with each upload that ended, so that a folder knows when to look again. */
export const uploadsDone = computed(() => uploads.value.filter((one) => one.state === "done").length);

function change(id: number, changes: Partial<Upload>): void {
  uploads.value = uploads.value.map((one) => (one.id === id ? { ...one, ...changes } : one));
}

export function addUploads(claim: Claim, folder: string, files: Iterable<File>): void {
  const added = [...files].map((file): Upload => ({ id: ++lastId, claim, folder, file, replace: false, state: "waits", sent: 0, abort: new AbortController() }));
  uploads.value = [...uploads.value, ...added];
  void sendNext();
}

async function sendNext(): Promise<void> {
  if (uploads.value.some((one) => one.state === "sends")) return;
  const next = uploads.value.find((one) => one.state === "waits");
  if (!next) return;
  change(next.id, { state: "sends", sent: 0 });
  try {
    await uploadFile(next.claim, joinPath(next.folder, next.file.name), next.file, {
      replace: next.replace, signal: next.abort.signal, onProgress: (sent) => change(next.id, { sent }) });
    change(next.id, { state: "done" });
  } catch (problem) {
    change(next.id, { state: "failed", error: asApiError(problem) });
  }
  void sendNext();
}

function dismiss(one: Upload): void {
  one.abort.abort();
  uploads.value = uploads.value.filter((other) => other.id !== one.id);
}

function again(one: Upload, replace: boolean): void {
  change(one.id, { state: "waits", replace });
  void sendNext();
}

function Outcome({ one }: { one: Upload }) {
  if (one.state === "waits") return <span class="quiet">{t("files.waits")}</span>;
  if (one.state === "done") return <span class="good">✓ {t("files.uploaded")}</span>;
  if (one.state === "sends") return <progress value={one.sent} max={Math.max(1, one.file.size)} aria-label={t("files.progress", { name: one.file.name })} />;
  if (one.error?.reason === "AlreadyExists") {
    return <span class="bad" role="alert">{t("files.exists")} <Button onClick={() => again(one, true)}>{t("files.replace")}</Button></span>;
  }
  return <span class="bad" role="alert">{one.error?.message || t("error.offline")} <Button onClick={() => again(one, one.replace)}>{t("error.retry")}</Button></span>;
}

/** The uploads to one volume. */
export function Uploads({ claim }: { claim: Claim }) {
  const shown = uploads.value.filter((one) => one.claim.ns === claim.ns && one.claim.name === claim.name);
  if (shown.length === 0) return null;
  return (
    <ul class="uploads" aria-label={t("files.uploads")}>
      {shown.map((one) => (
        <li key={one.id}>
          <span class="object">{joinPath(one.folder, one.file.name)}</span> <span class="quiet">{formatFileSize(one.file.size)}</span>
          <Outcome one={one} />
          <span class="spacer" />
          <IconButton icon="close" onClick={() => dismiss(one)}
            label={t(one.state === "sends" || one.state === "waits" ? "files.cancelUpload" : "files.dismiss", { name: one.file.name })} />
        </li>
      ))}
    </ul>
  );
}
