// Questions before a file or folder is made, renamed, moved or deleted.
import { useState } from "preact/hooks";
import { t } from "../../i18n";
import { Field } from "../../ui/Field";
import { FormDialog } from "../../ui/FormDialog";
import { showToast } from "../../ui/toast";
import { cleanPath, joinPath, makeFolder, moveInto, movePath, removePath, shownPath, writeFile, type Claim } from "./files";

export type FileAction = { what: "newFile" | "newFolder" } | { what: "rename"; name: string } | { what: "move" | "delete"; names: string[] };

interface FileDialogProps {
  claim: Claim;
  folder: string;
  action: FileAction;
  onClose: () => void;
  /** The folder has changed; a file that was made is named. */
  onDone: (made?: string) => void;
}

const titleOf = (names: string[]) => (names.length === 1 ? shownPath(names[0] ?? "") : t("files.many", { count: names.length }));

function NewDialog({ claim, folder, isFolder, onClose, onDone }: Omit<FileDialogProps, "action"> & { isFolder: boolean }) {
  const [name, setName] = useState("");
  const title = t(isFolder ? "files.newFolder" : "files.newFile");
  const make = async () => {
    const path = joinPath(folder, name.trim());
    if (isFolder) await makeFolder(claim, path);
    else await writeFile(claim, path, "", "nothing");
    onDone(isFolder ? undefined : name.trim());
  };
  return (
    <FormDialog title={title} action={t("create.create")} onSubmit={make} onClose={onClose} blocked={!name.trim()}>
      <Field label={t("files.nameOfNew")} value={name} onInput={setName} />
    </FormDialog>
  );
}

function RenameDialog({ claim, folder, name, onClose, onDone }: Omit<FileDialogProps, "action"> & { name: string }) {
  const [next, setNext] = useState(shownPath(name));
  const rename = async () => {
    await movePath(claim, joinPath(folder, name), joinPath(folder, next.trim()));
    onDone();
  };
  return (
    <FormDialog title={t("files.renameTitle", { name: shownPath(name) })} action={t("files.rename")} onSubmit={rename} onClose={onClose} blocked={!next.trim() || next === shownPath(name)}>
      <Field label={t("files.newName")} value={next} onInput={setNext} />
    </FormDialog>
  );
}

function MoveDialog({ claim, folder, names, onClose, onDone }: Omit<FileDialogProps, "action"> & { names: string[] }) {
  const [target, setTarget] = useState(folder);
  const move = async () => {
    // Some may have moved before one could not be.
    await moveInto(claim, folder, names, cleanPath(target)).finally(onDone);
    showToast(t("files.moved", { folder: `${claim.name}/${cleanPath(target)}` }));
  };
  return (
    <FormDialog title={t("files.moveTitle", { name: titleOf(names) })} action={t("files.move")} onSubmit={move} onClose={onClose} blocked={cleanPath(target) === folder}>
      <Field label={t("files.moveTo")} value={target} onInput={setTarget} help={t("files.moveHelp")} optional />
    </FormDialog>
  );
}

function DeleteDialog({ claim, folder, names, onClose, onDone }: Omit<FileDialogProps, "action"> & { names: string[] }) {
  const remove = async () => {
    try {
      for (const name of names) await removePath(claim, joinPath(folder, name));
    } finally {
      onDone();
    }
  };
  return (
    <FormDialog title={t("files.deleteTitle", { name: titleOf(names) })} danger onSubmit={remove} onClose={onClose}
      action={names.length === 1 ? t("files.delete") : t("files.deleteMany", { count: names.length })}>
      <p>{t("files.deleteText")}</p>
      <ul class="names object">{names.map((name) => <li key={name}>{shownPath(joinPath(folder, name))}</li>)}</ul>
    </FormDialog>
  );
}

export function FileDialog({ action, ...rest }: FileDialogProps) {
  switch (action.what) {
    case "newFile":
    case "newFolder": return <NewDialog {...rest} isFolder={action.what === "newFolder"} />;
    case "rename": return <RenameDialog {...rest} name={action.name} />;
    case "move": return <MoveDialog {...rest} names={action.names} />;
    case "delete": return <DeleteDialog {...rest} names={action.names} />;
  }
}
