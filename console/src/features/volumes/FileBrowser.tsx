// A folder of a volume. It is not watched: it is read again after each change from here, and by the refresh icon.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ApiError, asApiError } from "../../api/client";
import { t } from "../../i18n";
import { formatFileSize } from "../../lib/quantity";
import { go, place, setQuery } from "../../lib/router";
import { saveAs } from "../../lib/saveAs";
import { formatTime, zoneName } from "../../lib/time";
import { Button, IconButton } from "../../ui/Button";
import { Failure } from "../../ui/Failure";
import { Icon } from "../../ui/Icon";
import { Menu, type MenuItem } from "../../ui/Menu";
import { Table, type Column } from "../../ui/Table";
import { showToast, toastFailure } from "../../ui/toast";
import { FileDialog, type FileAction } from "./FileDialogs";
import { fileHref, folderHref } from "./FilePath";
import { downloadFile, joinPath, listFolder, shownPath, statFile, type Claim, type FileEntry } from "./files";
import { addUploads, Uploads, uploadsDone } from "./uploads";

interface Folder {
  entries: FileEntry[];
  /** Where the next page begins; "" after the last one. */
  next: string;
}

function useFolder(claim: Claim, folder: string) {
  const [read, setRead] = useState<Folder>();
  const [error, setError] = useState<ApiError>();
  const load = async (before: Folder | undefined) => {
    try {
      const page = await listFolder(claim, folder, before?.next ?? "");
      setRead({ entries: [...(before?.entries ?? []), ...page.items], next: page.metadata.continue ?? "" });
      setError(undefined);
    } catch (problem) {
      setError(asApiError(problem));
    }
  };
  const reload = () => void load(undefined);
  useEffect(reload, [uploadsDone.value]);
  return { read, error, reload, more: () => void load(read) };
}

const isFolder = (entry: FileEntry) => entry.type === "folder";
const foldersFirst = (a: FileEntry, b: FileEntry) => Number(isFolder(b)) - Number(isFolder(a)) || a.name.localeCompare(b.name);

/** A dropped folder looks like a file that cannot be read, so it is refused with words. */
function droppedFiles(data: DataTransfer): File[] {
  return [...data.items].flatMap((item) => {
    const file = item.getAsFile();
    if (!file) return [];
    if (!item.webkitGetAsEntry()?.isDirectory) return [file];
    showToast(t("files.dropFolder", { name: file.name }));
    return [];
  });
}

interface ToolbarProps {
  selected: string[];
  onAction: (action: FileAction) => void;
  onUpload: (files: FileList) => void;
  onRefresh: () => void;
}

function Toolbar({ selected, onAction, onUpload, onRefresh }: ToolbarProps) {
  const chooser = useRef<HTMLInputElement>(null);
  return (
    <div class="filters">
      <input type="search" class="field" placeholder={t("files.search")} aria-label={t("files.search")} value={place.value.query.get("q") ?? ""}
        onInput={(event) => setQuery({ q: event.currentTarget.value }, true)} />
      <IconButton icon="refresh" label={t("jobs.refresh")} onClick={onRefresh} />
      {selected.length > 0 && <span>{t("files.selected", { count: selected.length })}</span>}
      {selected.length > 0 && <Button onClick={() => onAction({ what: "move", names: selected })}>{t("files.move")}</Button>}
      {selected.length > 0 && <Button kind="danger" onClick={() => onAction({ what: "delete", names: selected })}>{t("files.delete")}</Button>}
      <span class="spacer" />
      <Button onClick={() => onAction({ what: "newFolder" })}>{t("files.newFolder")}</Button>
      <Button onClick={() => onAction({ what: "newFile" })}>{t("files.newFile")}</Button>
      <Button kind="primary" onClick={() => chooser.current?.click()}>{t("files.upload")}</Button>
      <input ref={chooser} type="file" multiple hidden aria-label={t("files.upload")}
        onChange={(event) => {
          if (event.currentTarget.files) onUpload(event.currentTarget.files);
          event.currentTarget.value = "";
        }} />
    </div>
  );
}

export function FileBrowser({ claim, folder }: { claim: Claim; folder: string }) {
  const { read, error, reload, more } = useFolder(claim, folder);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [action, setAction] = useState<FileAction>();
  const [dropping, setDropping] = useState(false);
  const search = (place.value.query.get("q") ?? "").toLowerCase();
  const shown = useMemo(() => (read?.entries ?? []).filter((entry) => entry.name.toLowerCase().includes(search)).sort(foldersFirst), [read, search]);
  // What is looked for may be on a later page.
  const searches = search !== "" && Boolean(read?.next) && !error;
  useEffect(() => void (searches && more()), [searches, read]);
  const chosen = shown.map((entry) => entry.name).filter((name) => selected.has(name));

  const hrefTo = (entry: FileEntry) => (isFolder(entry) ? folderHref(claim, joinPath(folder, entry.name)) : fileHref(claim, folder, entry.name));
  /** A link may lead to a folder. */
  const open = (entry: FileEntry) => void toastFailure(
    (async () => go(hrefTo(entry.type === "link" ? { ...(await statFile(claim, joinPath(folder, entry.name))), name: entry.name } : entry)))());
  const menu = (entry: FileEntry): MenuItem[] => [
    { label: t("files.open"), onSelect: () => open(entry) },
    ...(isFolder(entry) ? [] : [{ label: t("files.download"), onSelect: () => void toastFailure(
      downloadFile(claim, joinPath(folder, entry.name)).then((content) => saveAs(content, shownPath(entry.name)))) }]),
    { label: t("files.rename"), onSelect: () => setAction({ what: "rename", name: entry.name }) },
    { label: t("files.move"), onSelect: () => setAction({ what: "move", names: [entry.name] }) },
    { label: t("files.delete"), danger: true, onSelect: () => setAction({ what: "delete", names: [entry.name] }) },
  ];
  const columns: Column<FileEntry>[] = [
    { key: "name", title: t("files.name"), width: "minmax(min(140px, 30vw), 3fr)", cell: (entry) => (
      <span class="name-cell"><Icon name={isFolder(entry) ? "folder" : "file"} />
        <a class="object" href={hrefTo(entry)} title={shownPath(entry.name)} onClick={(event) => {
          if (entry.type !== "link") return;
          event.preventDefault();
          open(entry);
        }}>{shownPath(entry.name)}</a></span>) },
    { key: "size", title: t("files.size"), width: "88px", numeric: true, cell: (entry) => (entry.type === "file" ? formatFileSize(entry.size) : "-") },
    { key: "modified", title: t("files.modified"), width: "152px", hidden: "phone", cell: (entry) => <span title={zoneName()}>{formatTime(entry.modified)}</span> },
    { key: "mode", title: t("files.mode"), width: "56px", hidden: "tablet", cell: (entry) => <code>{entry.mode}</code> },
    { key: "actions", title: t("column.actions"), width: "64px", cell: (entry) => <Menu label={t("action.more", { name: shownPath(entry.name) })} items={() => menu(entry)} /> },
  ];
  const onDone = (made?: string) => {
    setSelected(new Set());
    if (made) go(fileHref(claim, folder, made));
    else reload();
  };
  return (
    <section class={`files ${dropping ? "dropping" : ""}`} aria-label={t("files.label", { name: claim.name })}
      onDragOver={(event) => {
        event.preventDefault();
        setDropping(true);
      }}
      onDragLeave={(event) => event.currentTarget.contains(event.relatedTarget as Node | null) || setDropping(false)}
      onDrop={(event) => {
        event.preventDefault();
        setDropping(false);
        if (event.dataTransfer) addUploads(claim, folder, droppedFiles(event.dataTransfer));
      }}>
      <Toolbar selected={chosen} onAction={setAction} onUpload={(files) => addUploads(claim, folder, files)} onRefresh={reload} />
      {dropping && <p class="notice">{t("files.dropHere")}</p>}
      <Uploads claim={claim} />
      {error && <Failure error={error} onRetry={reload} />}
      {!read && !error && <div class="skeleton" aria-hidden="true"><i /><i /><i /></div>}
      {read && read.entries.length === 0 && <div class="empty"><p>{t("files.empty")}</p><pre class="command">muster volume cp FILE {claim.name}:{folder}</pre></div>}
      {read && read.entries.length > 0 && shown.length === 0 && !searches && <p class="empty">{t("list.nothingMatches")}</p>}
      {shown.length > 0 && <Table label={t("files.label", { name: claim.name })} rows={shown} columns={columns} keyOf={(entry) => entry.name} onOpen={open}
        selection={{ keys: selected, onChange: setSelected, labelOf: (entry) => t("files.select", { name: shownPath(entry.name) }), labelOfAll: t("files.selectAll") }} />}
      {read?.next && !searches && <p class="pager"><Button onClick={more}>{t("files.more")}</Button></p>}
      {action && <FileDialog claim={claim} folder={folder} action={action} onClose={() => setAction(undefined)} onDone={onDone} />}
    </section>
  );
}
