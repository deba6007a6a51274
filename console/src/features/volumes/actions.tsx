// What can be done to a claim, each in a dialog of its own.
import type { PersistentVolumeClaim, Pod } from "#types";
import { useState } from "preact/hooks";
import { mergePatch, send } from "../../api/client";
import { corePath, objectPath } from "../../api/paths";
import { t } from "../../i18n";
import { chosenNamespace } from "../../lib/router";
import { Dialog } from "../../ui/Dialog";
import { Field } from "../../ui/Field";
import { FormDialog } from "../../ui/FormDialog";
import type { MenuItem } from "../../ui/Menu";
import { Select } from "../../ui/Select";
import { showToast } from "../../ui/toast";
import { ObjectDialog } from "../create/ObjectDialog";
import { YamlTab } from "../jobs/YamlTab";
import { accessModes, claimManifest, sizeOf, stateOf, usedOf, usersOf } from "./claims";

export type ClaimAction = "yaml" | "expand" | "delete";

export function claimActions(claim: PersistentVolumeClaim, choose: (action: ClaimAction) => void): MenuItem[] {
  const items: MenuItem[] = [{ label: t("action.yaml"), onSelect: () => choose("yaml") }];
  if (stateOf(claim) === "Bound") items.push({ label: t("volumes.expand"), onSelect: () => choose("expand") });
  if (stateOf(claim) !== "Deleting") items.push({ label: t("action.delete"), danger: true, onSelect: () => choose("delete") });
  return items;
}

const pathOf = (claim: PersistentVolumeClaim) => objectPath(corePath("persistentvolumeclaims", claim.metadata?.namespace ?? ""), claim.metadata?.name ?? "");

interface DialogProps {
  claim: PersistentVolumeClaim;
  onClose: () => void;
}

function ExpandDialog({ claim, onClose }: DialogProps) {
  const [size, setSize] = useState(sizeOf(claim));
  const name = claim.metadata?.name ?? "";
  const expand = async () => {
    await mergePatch(pathOf(claim), { spec: { resources: { requests: { storage: size.trim() } } } });
    showToast(t("volumes.expanded", { name, size }));
  };
  return (
    <FormDialog title={t("volumes.expandTitle", { name })} action={t("volumes.expand")} onSubmit={expand} onClose={onClose} blocked={!size.trim()}>
      <Field label={t("volumes.newSize")} value={size} onInput={setSize} help={t("volumes.expandHelp", { size: sizeOf(claim) })} />
    </FormDialog>
  );
}

function DeleteDialog({ claim, users, onClose }: DialogProps & { users: string[] }) {
  const [typed, setTyped] = useState("");
  const name = claim.metadata?.name ?? "";
  const remove = async () => {
    await send("DELETE", pathOf(claim));
    showToast(t("action.deleted", { name }));
  };
  return (
    <FormDialog title={t("action.deleteTitle", { name })} action={t("volumes.delete")} onSubmit={remove} onClose={onClose} danger blocked={typed !== name || users.length > 0}>
      <p>{t("volumes.deleteText")}</p>
      <p>{t("volumes.used")} <strong>{usedOf(claim)}</strong></p>
      {users.length > 0
        ? <p class="truth" role="alert">{t("volumes.deleteInUse", { pods: users.join(", ") })}</p>
        : <Field label={t("volumes.typeName", { name })} value={typed} onInput={setTyped} />}
    </FormDialog>
  );
}

export function ClaimDialog({ claim, action, pods, onClose }: DialogProps & { action: ClaimAction; pods: Iterable<Pod> }) {
  if (action === "expand") return <ExpandDialog claim={claim} onClose={onClose} />;
  if (action === "delete") return <DeleteDialog claim={claim} users={usersOf(claim, pods)} onClose={onClose} />;
  const name = claim.metadata?.name ?? "";
  return (
    <Dialog title={name} onClose={onClose} wide>
      <YamlTab label={name} path={pathOf(claim)} revision={claim.metadata?.resourceVersion ?? ""} />
    </Dialog>
  );
}

export function CreateClaim({ onClose }: { onClose: () => void }) {
  const [form, setForm] = useState({ name: "", size: "1Gi", accessMode: "ReadWriteMany" });
  return (
    <ObjectDialog title={t("volumes.create")} path={corePath("persistentvolumeclaims", chosenNamespace() || "default")} manifest={claimManifest(form)} onClose={onClose}>
      <Field label={t("volumes.name")} value={form.name} onInput={(name) => setForm({ ...form, name })} help={t("volumes.nameHelp")} />
      <Field label={t("volumes.size")} value={form.size} onInput={(size) => setForm({ ...form, size })} help={t("volumes.sizeHelp")} />
      <div class="form-field">
        <Select label={t("volumes.access")} value={form.accessMode} onChange={(accessMode) => setForm({ ...form, accessMode })} options={accessModes.map((value) => ({ value, label: value }))} />
      </div>
    </ObjectDialog>
  );
}
