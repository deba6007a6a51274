// Secrets and ConfigMaps: the list of each, a dialog that makes one, and the page of one.
import { useState } from "preact/hooks";
import { postJson } from "../../api/client";
import { corePath } from "../../api/paths";
import { useCollection } from "../../api/useCollection";
import { NotFound } from "../../app/NotFound";
import type { PageProps } from "../../app/pages";
import { t } from "../../i18n";
import { chosenNamespace, go, hrefOf, withNamespace } from "../../lib/router";
import { Button } from "../../ui/Button";
import { Field } from "../../ui/Field";
import { FormDialog } from "../../ui/FormDialog";
import { Menu } from "../../ui/Menu";
import { Age, ObjectList } from "../../ui/ObjectList";
import type { Column } from "../../ui/Table";
import { showToast } from "../../ui/toast";
import { DeleteConfig } from "./DeleteConfig";
import { EditPage } from "./EditPage";
import { Entries } from "./Entries";
import { newEntry, repeatedKey, withEntries, type Config, type Entry, type Plural } from "./model";

// Values are not even fetched for the list.
const members = ["apiVersion", "kind", "metadata.name", "metadata.namespace", "metadata.uid", "metadata.creationTimestamp", "metadata.resourceVersion", "type", "immutable"];
const words = {
  secrets: { title: "secrets.title", create: "secrets.create", hint: "secrets.hint", command: "kubectl create secret generic NAME --from-literal=KEY=VALUE" },
  configmaps: { title: "configmaps.title", create: "configmaps.create", hint: "configmaps.hint", command: "kubectl create configmap NAME --from-file=FILE" },
} as const;

function CreateDialog({ plural, onClose }: { plural: Plural; onClose: () => void }) {
  const ns = chosenNamespace() || "default";
  const [name, setName] = useState("");
  const [entries, setEntries] = useState<Entry[]>([newEntry]);
  const empty: Config = plural === "secrets" ? { apiVersion: "v1", kind: "Secret", metadata: { name }, type: "Opaque" } : { apiVersion: "v1", kind: "ConfigMap", metadata: { name } };
  const repeated = repeatedKey(entries);
  const create = async () => {
    await postJson(corePath(plural, ns), withEntries(empty, entries));
    showToast(t("config.created", { name }));
    go(hrefOf([plural, ns, name], withNamespace()));
  };
  return (
    <FormDialog title={t(words[plural].create)} action={t("create.create")} onSubmit={create} onClose={onClose} blocked={!name || repeated !== undefined}>
      <Field label={t("create.name")} value={name} onInput={setName} help={t("create.nameHelp")} />
      <Entries entries={entries} onChange={setEntries} />
      {repeated !== undefined && <p class="note">{t("config.repeated", { key: repeated })}</p>}
      <Button onClick={() => setEntries([...entries, newEntry])}>{t("config.add")}</Button>
    </FormDialog>
  );
}

function ConfigList({ plural }: { plural: Plural }) {
  const live = useCollection<Config>(corePath(plural, chosenNamespace()), { members });
  const [dialog, setDialog] = useState<"create" | Config>();
  const href = (one: Config) => hrefOf([plural, one.metadata?.namespace ?? "", one.metadata?.name ?? ""], withNamespace());
  const all: Column<Config>[] = [
    { key: "name", title: t("column.name"), width: "minmax(160px, 3fr)", cell: (one) => <a class="object" href={href(one)}>{one.metadata?.name}</a> },
    { key: "project", title: t("column.project"), width: "minmax(80px, 1fr)", hidden: "phone", cell: (one) => one.metadata?.namespace },
    { key: "type", title: t("config.type"), width: "minmax(120px, 2fr)", hidden: "phone", cell: (one) => (one.kind === "Secret" ? one.type : "") },
    { key: "immutable", title: t("config.immutable"), width: "140px", hidden: "tablet", cell: (one) => (one.immutable ? "✓" : "-") },
    { key: "age", title: t("column.age"), width: "64px", numeric: true, cell: (one) => <Age of={one.metadata?.creationTimestamp} /> },
    { key: "actions", title: t("column.actions"), width: "64px",
      cell: (one) => <Menu label={t("action.more", { name: one.metadata?.name ?? "" })} items={() => [{ label: t("action.delete"), danger: true, onSelect: () => setDialog(one) }]} /> },
  ];
  const columns = all.filter((column) => (column.key !== "project" || !chosenNamespace()) && (column.key !== "type" || plural === "secrets"));
  const create = <Button kind="primary" onClick={() => setDialog("create")}>{t(words[plural].create)}</Button>;
  return (
    <>
      <ObjectList title={t(words[plural].title)} live={live} columns={columns} actions={create} onOpen={(one) => go(href(one))}
        empty={<><p><strong>{t("config.empty")}</strong></p><p>{t(words[plural].hint)}</p><pre class="command">{words[plural].command}</pre></>} />
      {dialog === "create" && <CreateDialog plural={plural} onClose={() => setDialog(undefined)} />}
      {typeof dialog === "object" && <DeleteConfig plural={plural} ns={dialog.metadata?.namespace ?? ""} name={dialog.metadata?.name ?? ""} onClose={() => setDialog(undefined)} />}
    </>
  );
}

function ConfigPage({ plural, path }: PageProps & { plural: Plural }) {
  const [ns, name, ...rest] = path;
  if (path.length === 0) return <ConfigList plural={plural} />;
  if (!ns || !name || rest.length > 0) return <NotFound />;
  return <EditPage plural={plural} ns={ns} name={name} key={path.join("/")} />;
}

export const SecretsPage = ({ path }: PageProps) => <ConfigPage plural="secrets" path={path} />;
export const ConfigMapsPage = ({ path }: PageProps) => <ConfigPage plural="configmaps" path={path} />;
