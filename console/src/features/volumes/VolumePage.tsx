// One volume: what it is and who uses it in one line, and its files.
import type { PersistentVolumeClaim } from "#types";
import { lazy, Suspense } from "preact/compat";
import { useRef, useState } from "preact/hooks";
import { corePath } from "../../api/paths";
import { useObject } from "../../api/useCollection";
import { t } from "../../i18n";
import { place } from "../../lib/router";
import { Failure } from "../../ui/Failure";
import { Menu } from "../../ui/Menu";
import { StateWord } from "../../ui/State";
import { claimActions, ClaimDialog, type ClaimAction } from "./actions";
import { sizeOf, stateOf, usedOf, usersOf } from "./claims";
import { FileBrowser } from "./FileBrowser";
import { FilePath } from "./FilePath";
import { joinPath } from "./files";
import { useMountingPods } from "./live";
import { Users } from "./Users";

const FileView = lazy(() => import("./FileView"));

export function VolumePage({ ns, name }: { ns: string; name: string }) {
  const { live, object } = useObject<PersistentVolumeClaim>(corePath("persistentvolumeclaims", ns), name);
  const pods = [...useMountingPods(ns)];
  const [action, setAction] = useState<ClaimAction>();
  const last = useRef<PersistentVolumeClaim>();
  if (object) last.current = object;
  const claim = last.current;
  const state = live.state.value;
  if (!claim) {
    if (state.state === "failed") return <Failure error={state.error} onRetry={live.reload} />;
    if (state.state === "live") return <p class="empty">{t("volumes.notFound", { name, ns })}</p>;
    return <div class="skeleton" aria-hidden="true"><i /><i /><i /></div>;
  }
  const at = { ns, name };
  const folder = place.value.query.get("path") ?? "";
  const file = place.value.query.get("file") ?? "";
  const path = file ? joinPath(folder, file) : folder;
  return (
    <>
      <div class="title-row">
        <h1 class="object">{name}</h1>
        <StateWord state={stateOf(claim)} />
        <span class="spacer" />
        <Menu label={t("action.more", { name })} items={() => claimActions(claim, setAction)} />
      </div>
      <p class="summary">
        <span>{t("volumes.used")} <strong>{usedOf(claim)} / {sizeOf(claim)}</strong></span>
        <span>{t("volumes.access")} <strong>{claim.spec?.accessModes?.join(", ")}</strong></span>
        <span>{t("volumes.usedBy")} <Users ns={ns} pods={usersOf(claim, pods)} /></span>
      </p>
      {!object && <p class="notice" role="status">{t("volumes.gone")}</p>}
      {object && stateOf(claim) === "Pending" && <p class="notice" role="status">{t("volumes.pending")}</p>}
      {state.state === "failed" && <Failure error={state.error} onRetry={live.reload} />}
      <FilePath claim={at} path={path} />
      {object && !file && <FileBrowser key={path} claim={at} folder={folder} />}
      {object && file && <Suspense fallback={null}><FileView key={path} claim={at} path={path} /></Suspense>}
      {action && <ClaimDialog claim={claim} action={action} pods={pods} onClose={() => setAction(undefined)} />}
    </>
  );
}
