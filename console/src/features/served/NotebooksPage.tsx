import type { Notebook, PersistentVolumeClaim } from "#types";
import { useState } from "preact/hooks";
import { corePath } from "../../api/paths";
import { useCollection } from "../../api/useCollection";
import { t } from "../../i18n";
import { chosenNamespace, go, hrefOf, withNamespace } from "../../lib/router";
import { Field } from "../../ui/Field";
import type { MenuItem } from "../../ui/Menu";
import { Select } from "../../ui/Select";
import { ObjectDialog } from "../create/ObjectDialog";
import { podHref } from "../pods/podHref";
import { claimsOf, imageOf, notebookManifest } from "./manifests";
import { servedPath } from "./served";
import { ServedPage } from "./ServedPage";

const volumeHref = (notebook: Notebook, claim: string) => hrefOf(["volumes", notebook.metadata?.namespace ?? "", claim], withNamespace());

function CreateNotebook({ onClose }: { onClose: () => void }) {
  const ns = chosenNamespace() || "default";
  const claims = [...useCollection<PersistentVolumeClaim>(corePath("persistentvolumeclaims", ns)).items.value.values()].map((claim) => claim.metadata?.name ?? "").sort();
  const [typed, setForm] = useState({ name: "", image: "", claim: "", cpu: "2", memory: "4Gi", gpus: "", idle: "" });
  const form = { ...typed, claim: typed.claim || (claims[0] ?? "") };
  const set = (key: keyof typeof form) => (value: string) => setForm({ ...form, [key]: value });
  return (
    <ObjectDialog title={t("notebooks.create")} path={servedPath("notebooks", ns)} manifest={notebookManifest(form)} onClose={onClose}>
      <Field label={t("served.name")} value={form.name} onInput={set("name")} help={t("served.nameHelp")} />
      <Field label={t("served.image")} value={form.image} onInput={set("image")} help={t("notebooks.imageHelp")} />
      <div class="form-field">
        <Select label={t("notebooks.home")} value={form.claim} onChange={set("claim")}
          options={claims.length > 0 ? claims.map((value) => ({ value, label: value })) : [{ value: "", label: t("notebooks.noVolume") }]} />
        <p class="quiet">{t("notebooks.homeHelp")}</p>
      </div>
      <div class="form-grid">
        <Field label={t("notebooks.cpu")} value={form.cpu} onInput={set("cpu")} optional />
        <Field label={t("notebooks.memory")} value={form.memory} onInput={set("memory")} optional />
        <Field label={t("notebooks.gpus")} value={form.gpus} onInput={set("gpus")} optional />
        <Field label={t("notebooks.idle")} value={form.idle} onInput={set("idle")} help={t("notebooks.idleHelp")} optional />
      </div>
    </ObjectDialog>
  );
}

/** Its files, and a terminal while its pod runs, even without JupyterLab. */
function waysIn(notebook: Notebook): MenuItem[] {
  const pod = notebook.status?.pod?.reference?.name;
  const files = claimsOf(notebook).map((claim) => ({ label: t("notebooks.files", { name: claim }), onSelect: () => go(volumeHref(notebook, claim)) }));
  if (!pod) return files;
  return [...files, { label: t("replica.terminal"), onSelect: () => go(podHref(notebook.metadata?.namespace ?? "", pod, { tab: "terminal" })) }];
}

export default function NotebooksPage() {
  return (
    <ServedPage<Notebook> plural="notebooks" title={t("notebooks.title")} createLabel={t("notebooks.create")} deleteText={t("notebooks.deleteText")}
      empty={<><p>{t("notebooks.empty")}</p><pre class="command">muster create -f notebook.yaml</pre></>} create={(onClose) => <CreateNotebook onClose={onClose} />}
      more={waysIn}
      details={[
        { key: "image", title: t("served.image"), width: "minmax(120px, 2fr)", hidden: "phone", cell: (notebook) => <span class="object" title={imageOf(notebook)}>{imageOf(notebook)}</span> },
        { key: "volumes", title: t("notebooks.home"), width: "minmax(80px, 1fr)", hidden: "phone",
          cell: (notebook) => claimsOf(notebook).map((claim) => <a key={claim} class="object" href={volumeHref(notebook, claim)}>{claim}</a>) },
      ]} />
  );
}
