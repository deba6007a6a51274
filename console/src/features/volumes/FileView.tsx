// One file: a text to edit, a picture to look at, or what can be said about anything else.
import { useEffect, useState } from "preact/hooks";
import { ApiError, asApiError } from "../../api/client";
import { t } from "../../i18n";
import { formatFileSize } from "../../lib/quantity";
import { saveAs } from "../../lib/saveAs";
import { formatTime, zoneName } from "../../lib/time";
import { Button } from "../../ui/Button";
import { Failure } from "../../ui/Failure";
import { toastFailure } from "../../ui/toast";
import { decodeText, imageType, largestImage, mostEdited, partShown } from "./content";
import { downloadFile, readFile, shownPath, statFile, type Claim, type FileEntry } from "./files";
import { TextFile } from "./TextFile";

interface Read {
  entry: FileEntry;
  etag: string;
  text?: string;
  /** A data: address, which the page's policy allows. */
  image?: string;
}

const dataUrl = (content: Blob) =>
  new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(content);
  });

async function read(claim: Claim, path: string): Promise<Read> {
  const entry = await statFile(claim, path);
  const type = imageType(path);
  if (type) {
    if (entry.size > largestImage) return { entry, etag: entry.etag };
    return { entry, etag: entry.etag, image: await dataUrl((await downloadFile(claim, path)).slice(0, largestImage, type)) };
  }
  if (entry.size === 0) return { entry, etag: entry.etag, text: "" };
  const isPart = entry.size > mostEdited;
  const { bytes, etag } = await readFile(claim, path, isPart ? partShown : mostEdited);
  const text = decodeText(await bytes.arrayBuffer(), isPart);
  return { entry, etag, ...(text === undefined ? {} : { text }) };
}

function Unshown({ entry, path }: { entry: FileEntry; path: string }) {
  return <p class="empty">{imageType(path) ? t("file.tooLargeImage", { size: formatFileSize(entry.size) }) : t("file.binary")}</p>;
}

export default function FileView({ claim, path }: { claim: Claim; path: string }) {
  const [file, setFile] = useState<Read>();
  const [reads, setReads] = useState(0);
  const [error, setError] = useState<ApiError>();
  const load = () => void read(claim, path).then(
    (found) => {
      setFile(found);
      setReads((count) => count + 1);
      setError(undefined);
    },
    (problem: unknown) => setError(asApiError(problem)),
  );
  useEffect(load, []);
  const name = shownPath(path.split("/").pop() ?? "");
  const download = () => void toastFailure(downloadFile(claim, path).then((content) => saveAs(content, name)));
  if (!file) return error ? <Failure error={error} onRetry={load} /> : <div class="skeleton" aria-hidden="true"><i /><i /><i /></div>;
  const { entry, text, image, etag } = file;
  return (
    <>
      <div class="filters">
        <span class="quiet">{formatFileSize(entry.size)} · {formatTime(entry.modified)} {zoneName()}</span>
        <span class="spacer" />
        <Button onClick={download}>{t("files.download")}</Button>
      </div>
      {error && <Failure error={error} onRetry={load} />}
      {image && <img class="picture" src={image} alt={t("file.image", { name })} />}
      {text !== undefined && <TextFile key={reads} claim={claim} path={path} text={text} etag={etag} size={entry.size}
        onSaved={(saved) => setFile({ ...file, entry: saved })} onReload={load} />}
      {text === undefined && !image && <Unshown entry={entry} path={path} />}
    </>
  );
}
