// The list of TensorBoards or notebooks: their state, and what can be done to each.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { send } from "../../api/client";
import { useCollection } from "../../api/useCollection";
import { t, type Key } from "../../i18n";
import { chosenNamespace } from "../../lib/router";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { FormDialog } from "../../ui/FormDialog";
import { Menu, type MenuItem } from "../../ui/Menu";
import { Age, ObjectList } from "../../ui/ObjectList";
import { StateShape } from "../../ui/State";
import type { Column } from "../../ui/Table";
import { showToast } from "../../ui/toast";
import { YamlTab } from "../jobs/YamlTab";
import { canOpen, causeOf, openServed, pathOf, servedPath, stateOf, suspend, type Served, type ServedPlural } from "./served";

interface ServedPageProps<T extends Served> {
  plural: ServedPlural;
  title: string;
  createLabel: string;
  /** What would be here, and the command that makes one. */
  empty: ComponentChildren;
  /** What is shown of the kind besides name, state and age. */
  details: Column<T>[];
  /** What goes with it. */
  deleteText: string;
  create: (onClose: () => void) => ComponentChildren;
  more?: (served: T) => MenuItem[];
}

function Actions({ plural, served, menu }: { plural: ServedPlural; served: Served; menu: MenuItem[] }) {
  const state = stateOf(served);
  const { name = "", namespace = "" } = served.metadata ?? {};
  return (
    <span class="row-actions">
      <Button disabled={!canOpen(served)} onClick={() => void openServed(plural, namespace, name)}>{t("served.open")}</Button>
      {state === "Paused" && !canOpen(served)
        ? <Button onClick={() => void suspend(plural, served, false)}>{t("served.resume")}</Button>
        : <Button disabled={state === "Deleting"} onClick={() => void suspend(plural, served, true)}>{t("served.suspend")}</Button>}
      <Menu label={t("action.more", { name })} items={() => menu} />
    </span>
  );
}

export function ServedPage<T extends Served>({ plural, title, createLabel, empty, details, deleteText, create, more }: ServedPageProps<T>) {
  const ns = chosenNamespace();
  const live = useCollection<T>(servedPath(plural, ns));
  const [creating, setCreating] = useState(false);
  const [chosen, setChosen] = useState<{ served: T; action: "yaml" | "delete" }>();
  const name = chosen?.served.metadata?.name ?? "";
  const close = () => setChosen(undefined);
  const menu = (served: T): MenuItem[] => [
    ...(more?.(served) ?? []),
    { label: t("action.yaml"), onSelect: () => setChosen({ served, action: "yaml" }) },
    { label: t("action.delete"), danger: true, onSelect: () => setChosen({ served, action: "delete" }) },
  ];
  const columns: Column<T>[] = [
    { key: "name", title: t("column.name"), width: "minmax(96px, 2fr)",
      cell: (served) => <span class="name-cell"><StateShape state={stateOf(served)} /><span class="object" title={served.metadata?.name}>{served.metadata?.name}</span></span> },
    { key: "state", title: t("column.state"), width: "80px", hidden: "phone", cell: (served) => t(`state.${stateOf(served)}` as Key) },
    ...(ns ? [] : [{ key: "project", title: t("column.project"), width: "minmax(80px, 1fr)", hidden: "phone" as const, cell: (served: T) => served.metadata?.namespace }]),
    ...details,
    { key: "age", title: t("column.age"), width: "64px", numeric: true, hidden: "phone", cell: (served) => <Age of={served.metadata?.creationTimestamp} /> },
    { key: "actions", title: t("column.actions"), width: "190px", cell: (served) => <Actions plural={plural} served={served} menu={menu(served)} /> },
  ];
  return (
    <>
      <ObjectList title={title} live={live} columns={columns} empty={empty} noteOf={causeOf}
        actions={<Button kind="primary" onClick={() => setCreating(true)}>{createLabel}</Button>} />
      {creating && create(() => setCreating(false))}
      {chosen?.action === "yaml" && (
        <Dialog title={name} onClose={close} wide>
          <YamlTab label={name} path={pathOf(plural, chosen.served)} revision={chosen.served.metadata?.resourceVersion ?? ""} />
        </Dialog>
      )}
      {chosen?.action === "delete" && (
        <FormDialog title={t("action.deleteTitle", { name })} action={t("action.delete")} danger onClose={close}
          onSubmit={() => send("DELETE", pathOf(plural, chosen.served)).then(() => showToast(t("action.deleted", { name })))}>
          <p>{deleteText}</p>
        </FormDialog>
      )}
    </>
  );
}
