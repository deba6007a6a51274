import { send } from "../../api/client";
import { corePath, objectPath } from "../../api/paths";
import { t } from "../../i18n";
import { FormDialog } from "../../ui/FormDialog";
import type { Plural } from "./model";

export function DeleteConfig({ plural, ns, name, onClose }: { plural: Plural; ns: string; name: string; onClose: () => void }) {
  return (
    <FormDialog title={t("action.deleteTitle", { name })} action={t("action.delete")} danger onClose={onClose} onSubmit={() => send("DELETE", objectPath(corePath(plural, ns), name))}>
      <p>{t("config.deleteText")}</p>
    </FormDialog>
  );
}
