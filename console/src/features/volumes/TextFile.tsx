// A text file in the editor. A save replaces only the version that was read, and what was typed survives a reload of the tab.
import { python } from "@codemirror/lang-python";
import { yaml } from "@codemirror/lang-yaml";
import { indentUnit } from "@codemirror/language";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, asApiError } from "../../api/client";
import { t } from "../../i18n";
import { formatFileSize } from "../../lib/quantity";
import { Button } from "../../ui/Button";
import Editor from "../../ui/Editor";
import { Failure } from "../../ui/Failure";
import { languageOf, lineBreakOf, mostEdited, partShown } from "./content";
import { shownPath, writeFile, type Claim, type FileEntry } from "./files";

const languages: Record<ReturnType<typeof languageOf>, Extension> = { python: [python(), indentUnit.of("    ")], yaml: [yaml(), indentUnit.of("  ")], text: [] };

interface TextFileProps {
  claim: Claim;
  path: string;
  text: string;
  etag: string;
  size: number;
  onSaved: (entry: FileEntry) => void;
  onReload: () => void;
}

interface Draft {
  text: string;
  /** The version that it was made from. */
  etag: string;
}

const draftKey = (claim: Claim, path: string) => `muster-file-${claim.ns}/${claim.name}/${path}`;

function readDraft(key: string): Draft | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "null") as Draft | undefined ?? undefined;
  } catch {
    return undefined;
  }
}

/** A tab has room for a few megabytes of drafts; beyond that they live as long as the page. */
function keepDraft(key: string, draft: Draft): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(draft));
  } catch {
    sessionStorage.removeItem(key);
  }
}

export function TextFile({ claim, path, text, etag, size, onSaved, onReload }: TextFileProps) {
  const key = draftKey(claim, path);
  const draft = useRef(readDraft(key));
  const [current, setCurrent] = useState(draft.current?.text ?? text);
  const [saved, setSaved] = useState(text);
  const [version, setVersion] = useState(draft.current?.etag ?? etag);
  const [restored, setRestored] = useState(draft.current !== undefined && draft.current.text !== text);
  const [error, setError] = useState<ApiError>();
  const [said, setSaid] = useState("");
  const isPart = size > mostEdited;
  const name = shownPath(path.split("/").pop() ?? "");
  const change = (next: string) => {
    setCurrent(next);
    setSaid("");
    if (next === saved) sessionStorage.removeItem(key);
    else keepDraft(key, { text: next, etag: version });
  };
  const save = async (replaced: { etag: string } | "anything") => {
    try {
      const entry = await writeFile(claim, path, current, replaced);
      setVersion(entry.etag);
      onSaved(entry);
      setSaved(current);
      setError(undefined);
      setRestored(false);
      sessionStorage.removeItem(key);
      setSaid(t("file.saved"));
    } catch (problem) {
      setError(asApiError(problem));
    }
  };
  const takeTheirs = () => {
    sessionStorage.removeItem(key);
    onReload();
  };
  const saveByKey = useRef(() => {});
  saveByKey.current = () => {
    if (!isPart && current !== saved) void save({ etag: version });
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "s" || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      saveByKey.current();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  const conflict = error?.reason === "Conflict";
  const language = [languages[languageOf(path)], EditorState.lineSeparator.of(lineBreakOf(text)), isPart ? [EditorState.readOnly.of(true), EditorView.editable.of(false)] : []];
  return (
    <div class="text-file">
      {isPart && <p class="notice">{t("file.part", { size: formatFileSize(size), part: formatFileSize(partShown) })}</p>}
      {restored && <p class="notice" role="status">{t("file.restored")} <Button onClick={takeTheirs}>{t("file.discard")}</Button></p>}
      {conflict && (
        <div class="failure" role="alert">
          <p>{t("file.changed")}</p>
          <p><Button onClick={() => void save("anything")}>{t("file.overwrite")}</Button> <Button onClick={takeTheirs}>{t("file.reload")}</Button></p>
        </div>
      )}
      {error && !conflict && <Failure error={error} />}
      <Editor label={t("file.editor", { name })} text={current} onChange={change} language={language} />
      {!isPart && (
        <div class="filters save-bar">
          <span class="quiet" role="status">{current === saved ? said : t("file.unsaved")}</span>
          <span class="spacer" />
          <Button kind="primary" disabled={current === saved} onClick={() => void save({ etag: version })}>{t("file.save")}</Button>
        </div>
      )}
    </div>
  );
}
