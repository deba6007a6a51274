import { t } from "../../i18n";
import { Button } from "../../ui/Button";
import { Field, Toggle } from "../../ui/Field";
import { Select } from "../../ui/Select";
import { emptyRole, type JobForm, type RoleForm } from "./manifest";

const restartPolicies = ["OnFailure", "Never", "Always", "ExitCode"];
const cleanUps = ["", "None", "Unfinished", "All"];

function RoleCard({ role, onChange, onRemove }: { role: RoleForm; onChange: (role: RoleForm) => void; onRemove?: () => void }) {
  const set = <K extends keyof RoleForm>(key: K) => (value: string) => onChange({ ...role, [key]: value });
  return (
    <section class="card" aria-label={role.name || t("create.role")}>
      <h2 class="object">{role.name || t("create.role")}</h2>
      <div class="form-grid">
        <Field label={t("create.roleName")} value={role.name} onInput={set("name")} />
        <Field label={t("create.replicas")} value={role.replicas} onInput={set("replicas")} />
        <div class="form-field">
          <Select label={t("create.restartPolicy")} value={role.restartPolicy} onChange={set("restartPolicy")} options={restartPolicies.map((value) => ({ value, label: value }))} />
        </div>
        <Field label={t("create.image")} value={role.image} onInput={set("image")} />
        <Field label={t("create.command")} value={role.command} onInput={set("command")} help={t("create.commandHelp")} optional />
        <Field label={t("create.args")} value={role.args} onInput={set("args")} optional />
        <Field label={t("create.cpuRequest")} value={role.cpuRequest} onInput={set("cpuRequest")} optional />
        <Field label={t("create.cpuLimit")} value={role.cpuLimit} onInput={set("cpuLimit")} optional />
        <Field label={t("create.memoryRequest")} value={role.memoryRequest} onInput={set("memoryRequest")} help={t("create.memoryHelp")} optional />
        <Field label={t("create.memoryLimit")} value={role.memoryLimit} onInput={set("memoryLimit")} optional />
        <Field label={t("create.gpus")} value={role.gpus} onInput={set("gpus")} optional />
        <Field label={t("create.workingDir")} value={role.workingDir} onInput={set("workingDir")} optional />
        <Field label={t("create.runAsUser")} value={role.runAsUser} onInput={set("runAsUser")} optional />
        <Field label={t("create.env")} value={role.env} onInput={set("env")} help={t("create.envHelp")} optional long />
        <Field label={t("create.volumes")} value={role.volumes} onInput={set("volumes")} help={t("create.volumesHelp")} optional long />
      </div>
      {onRemove && <Button kind="danger" onClick={onRemove}>{t("create.removeRole")}</Button>}
    </section>
  );
}

export function JobFormFields({ form, onChange }: { form: JobForm; onChange: (form: JobForm) => void }) {
  const set = <K extends keyof JobForm>(key: K) => (value: JobForm[K]) => onChange({ ...form, [key]: value });
  const setRole = (index: number, role: RoleForm) => onChange({ ...form, roles: form.roles.map((one, at) => (at === index ? role : one)) });
  return (
    <div class="cards form">
      <section class="card" aria-label={t("create.basics")}>
        <h2>{t("create.basics")}</h2>
        <Field label={t("create.name")} value={form.name} onInput={set("name")} help={t("create.nameHelp")} />
        <Toggle label={t("create.torchrun")} checked={form.useTorchrun} onChange={set("useTorchrun")}>
          <Field label={t("create.processes")} value={form.processes} onInput={set("processes")} />
        </Toggle>
        <Toggle label={t("create.runPolicy")} checked={form.useRunPolicy} onChange={set("useRunPolicy")}>
          <Field label={t("create.backoffLimit")} value={form.backoffLimit} onInput={set("backoffLimit")} optional />
          <Field label={t("create.deadline")} value={form.activeDeadlineSeconds} onInput={set("activeDeadlineSeconds")} optional />
          <Select label={t("create.cleanUp")} value={form.cleanUpPolicy} onChange={(value) => set("cleanUpPolicy")(value as JobForm["cleanUpPolicy"])}
            options={cleanUps.map((value) => ({ value, label: value || "-" }))} />
        </Toggle>
        <Toggle label={t("create.tensorboard")} checked={form.useTensorBoard} onChange={set("useTensorBoard")}>
          <Field label={t("create.tensorboardLogs")} value={form.tensorBoardLogs} onInput={set("tensorBoardLogs")} help={t("create.tensorboardHelp")} />
          <Field label={t("create.image")} value={form.tensorBoardImage} onInput={set("tensorBoardImage")} />
        </Toggle>
        <Toggle label={t("create.debug")} checked={form.debug} onChange={set("debug")} />
      </section>
      {form.roles.map((role, index) => (
        <RoleCard key={index} role={role} onChange={(next) => setRole(index, next)}
          {...(form.roles.length > 1 ? { onRemove: () => onChange({ ...form, roles: form.roles.filter((_, at) => at !== index) }) } : {})} />
      ))}
      <div><Button onClick={() => onChange({ ...form, roles: [...form.roles, emptyRole(`worker-${form.roles.length}`)] })}>{t("create.addRole")}</Button></div>
    </div>
  );
}
