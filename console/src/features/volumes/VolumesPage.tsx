// The volumes of the project: how full they are, and who uses them.
import type { PersistentVolumeClaim } from "#types";
import { useState } from "preact/hooks";
import { corePath } from "../../api/paths";
import { useCollection } from "../../api/useCollection";
import { t, type Key } from "../../i18n";
import { chosenNamespace, go, hrefOf, withNamespace } from "../../lib/router";
import { Button } from "../../ui/Button";
import { Menu } from "../../ui/Menu";
import { Age, ObjectList } from "../../ui/ObjectList";
import { StateShape } from "../../ui/State";
import type { Column } from "../../ui/Table";
import { claimActions, ClaimDialog, CreateClaim, type ClaimAction } from "./actions";
import { sizeOf, stateOf, usedOf, usersOf } from "./claims";
import { useMountingPods } from "./live";
import { Users } from "./Users";

const claimHref = (claim: PersistentVolumeClaim) => hrefOf(["volumes", claim.metadata?.namespace ?? "", claim.metadata?.name ?? ""], withNamespace());

export function VolumesPage() {
  const ns = chosenNamespace();
  const live = useCollection<PersistentVolumeClaim>(corePath("persistentvolumeclaims", ns));
  const pods = [...useMountingPods(ns)];
  const [creating, setCreating] = useState(false);
  const [chosen, setChosen] = useState<{ claim: PersistentVolumeClaim; action: ClaimAction }>();
  const columns: Column<PersistentVolumeClaim>[] = [
    { key: "name", title: t("column.name"), width: "minmax(140px, 3fr)",
      cell: (claim) => <span class="name-cell"><StateShape state={stateOf(claim)} /><a class="object" href={claimHref(claim)} title={claim.metadata?.name}>{claim.metadata?.name}</a></span> },
    { key: "phase", title: t("volumes.phase"), width: "80px", hidden: "phone", cell: (claim) => t(`state.${stateOf(claim)}` as Key) },
    { key: "project", title: t("column.project"), width: "minmax(80px, 1fr)", hidden: "phone", cell: (claim) => claim.metadata?.namespace },
    { key: "size", title: t("volumes.size"), width: "80px", numeric: true, hidden: "phone", cell: sizeOf },
    { key: "used", title: t("volumes.used"), width: "96px", numeric: true, cell: usedOf },
    { key: "access", title: t("volumes.access"), width: "128px", hidden: "tablet", cell: (claim) => claim.spec?.accessModes?.join(", ") || "-" },
    { key: "class", title: t("volumes.class"), width: "104px", hidden: "tablet", cell: (claim) => claim.spec?.storageClassName || "-" },
    { key: "users", title: t("volumes.usedBy"), width: "minmax(120px, 1.5fr)", hidden: "phone", cell: (claim) => <Users ns={claim.metadata?.namespace ?? ""} pods={usersOf(claim, pods)} /> },
    { key: "age", title: t("column.age"), width: "56px", numeric: true, hidden: "phone", cell: (claim) => <Age of={claim.metadata?.creationTimestamp} /> },
    { key: "actions", title: t("column.actions"), width: "56px",
      cell: (claim) => <Menu label={t("action.more", { name: claim.metadata?.name ?? "" })} items={() => claimActions(claim, (action) => setChosen({ claim, action }))} /> },
  ];
  const create = <Button kind="primary" onClick={() => setCreating(true)}>{t("volumes.create")}</Button>;
  return (
    <>
      <ObjectList title={t("volumes.title")} live={live} columns={columns.filter((column) => column.key !== "project" || !ns)} actions={create}
        onOpen={(claim) => go(claimHref(claim))} empty={<><p>{t("volumes.empty")}</p><pre class="command">muster volume create NAME</pre></>} />
      {creating && <CreateClaim onClose={() => setCreating(false)} />}
      {chosen && <ClaimDialog claim={chosen.claim} action={chosen.action} pods={pods} onClose={() => setChosen(undefined)} />}
    </>
  );
}
