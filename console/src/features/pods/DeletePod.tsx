import { send } from "../../api/client";
import { corePath, objectPath } from "../../api/paths";
import { t } from "../../i18n";
import { FormDialog } from "../../ui/FormDialog";

export function DeletePod({ ns, name, onClose }: { ns: string; name: string; onClose: () => void }) {
  return (
    <FormDialog title={t("action.deleteTitle", { name })} action={t("action.delete")} danger onClose={onClose} onSubmit={() => send("DELETE", objectPath(corePath("pods", ns), name))}>
      <p>{t("pods.deleteText")}</p>
    </FormDialog>
  );
}
