import type { TensorBoard } from "#types";
import { useState } from "preact/hooks";
import { t } from "../../i18n";
import { chosenNamespace } from "../../lib/router";
import { Field } from "../../ui/Field";
import { ObjectDialog } from "../create/ObjectDialog";
import { boardManifest, foldersOf } from "./manifests";
import { servedPath } from "./served";
import { ServedPage } from "./ServedPage";

function CreateBoard({ onClose }: { onClose: () => void }) {
  const [form, setForm] = useState({ name: "", folders: "", image: "" });
  return (
    <ObjectDialog title={t("boards.create")} path={servedPath("tensorboards", chosenNamespace() || "default")} manifest={boardManifest(form)} onClose={onClose}>
      <Field label={t("served.name")} value={form.name} onInput={(name) => setForm({ ...form, name })} help={t("served.nameHelp")} />
      <Field label={t("boards.folders")} value={form.folders} onInput={(folders) => setForm({ ...form, folders })} help={t("boards.folderHelp")} long />
      <Field label={t("served.image")} value={form.image} onInput={(image) => setForm({ ...form, image })} help={t("boards.imageHelp")} optional />
    </ObjectDialog>
  );
}

const ownerOf = (board: TensorBoard) => board.metadata?.ownerReferences?.[0]?.name ?? "-";

function Folders({ board }: { board: TensorBoard }) {
  const folders = foldersOf(board);
  return <span class="object" title={folders.join("\n")}>{folders.join(", ") || "-"}</span>;
}

export default function BoardsPage() {
  return (
    <ServedPage<TensorBoard> plural="tensorboards" title={t("boards.title")} createLabel={t("boards.create")} deleteText={t("boards.deleteText")}
      empty={<><p>{t("boards.empty")}</p><pre class="command">muster tensorboard JOB</pre></>} create={(onClose) => <CreateBoard onClose={onClose} />}
      details={[
        { key: "folders", title: t("boards.folders"), width: "minmax(120px, 3fr)", hidden: "phone", cell: (board) => <Folders board={board} /> },
        { key: "job", title: t("boards.ofJob"), width: "minmax(80px, 1fr)", hidden: "tablet", cell: (board) => <span class="object">{ownerOf(board)}</span> },
      ]} />
  );
}
