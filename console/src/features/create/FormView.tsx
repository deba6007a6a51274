// The cards of a job's form. They show what the manifest says, and hand every change on as edits of its text.
import { useEffect, useRef, useState } from "preact/hooks";
import { getJson } from "../../api/client";
import { corePath } from "../../api/paths";
import { t, type Key } from "../../i18n";
import { chosenNamespace } from "../../lib/router";
import { Button, IconButton } from "../../ui/Button";
import { Field, Toggle } from "../../ui/Field";
import { Select } from "../../ui/Select";
import * as codecs from "./codecs";
import { valueAt, type Edit, type Manifest } from "./document";
import { addRole, editsOf, isOn, isSection, onlyInYaml, pathText, rolesOf, type FieldSpec, type JobForm, type Mount, type Role, type Section } from "./form";
import type { TextProblem } from "./submit";

interface FormViewProps {
  form: JobForm;
  manifest: Manifest;
  problems: TextProblem[];
  /** What the server says about a manifest that it accepts; each begins with a path. */
  warnings: string[];
  /** Whether fields that are still empty also say what is wrong. */
  strict: boolean;
  apply: (edits: Edit[]) => void;
  rename: (role: Role, name: string) => void;
}

type Shared = Omit<FormViewProps, "form" | "rename">;

/** The names of the project's objects of a kind; none while they are not known, or where nobody may ask. */
function useNames(plural: string | undefined): string[] {
  const [names, setNames] = useState<string[]>([]);
  const ns = chosenNamespace() || "default";
  useEffect(() => {
    if (!plural) return;
    getJson<{ items: { metadata: { name: string } }[] }>(corePath(plural, ns)).then(({ items }) => setNames(items.map((one) => one.metadata.name)), () => setNames([]));
  }, [plural, ns]);
  return names;
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

function FieldBox({ spec, manifest, problems, warnings, strict, apply }: { spec: FieldSpec } & Shared) {
  const value = valueAt(manifest, spec.path);
  const suggestions = useNames(spec.suggest);
  const shown = spec.codec.read(value);
  const [typed, setTyped] = useState(shown ?? "");
  // What was typed stays as it was typed while it means what the manifest says: a blank at the end, a line that begins.
  const text = shown === undefined ? "" : isSame(spec.codec.write(typed), value) ? typed : shown;
  const change = (next: string) => {
    setTyped(next);
    apply(editsOf(spec, manifest, next));
  };
  const label = t(spec.label);
  const path = pathText(spec.path);
  const error = text || strict ? problems.find((one) => one.field === path)?.message.replace(`${path}: `, "") : undefined;
  const warning = warnings.find((one) => one.startsWith(`${path}: `))?.slice(path.length + 2);
  if (spec.codec === codecs.flag) return <Toggle label={label} checked={text !== ""} onChange={(on) => change(on ? "true" : "")} />;
  if (spec.options && shown !== undefined) {
    const options = spec.options.includes(text) ? spec.options : [text, ...spec.options];
    return (
      <div class="form-field">
        <Select label={label} value={text} onChange={change} options={options.map((one) => ({ value: one, label: one || "-" }))} />
        {error && <p class="bad">{error}</p>}
      </div>
    );
  }
  return (
    <Field label={label} value={text} onInput={change} optional={!spec.required} long={spec.long === true || text.includes("\n")} error={error} warning={warning} disabled={shown === undefined} suggestions={suggestions}
      {...(shown === undefined ? { help: t("create.inYaml") } : spec.help ? { help: t(spec.help) } : {})} />
  );
}

const Boxes = ({ specs, ...shared }: { specs: FieldSpec[] } & Shared) => <>{specs.map((spec) => <FieldBox key={pathText(spec.path)} spec={spec} {...shared} />)}</>;

function SectionBox({ item, ...shared }: { item: Section } & Shared) {
  const { manifest, apply } = shared;
  const on = isOn(manifest, item);
  // Switched off and on again, it has what it had.
  const last = useRef<unknown>(item.initial);
  const change = (wanted: boolean) => {
    if (!wanted) last.current = valueAt(manifest, item.path);
    apply([[item.path, wanted ? last.current : undefined]]);
  };
  const fields = on && item.fields.length > 0 && <div class="form-grid"><Boxes specs={item.fields} {...shared} /></div>;
  if (!item.choice) return <Toggle label={t(item.label)} checked={on} onChange={change}>{fields}</Toggle>;
  return (
    <div class="toggle">
      <Select label={t(item.label)} value={on ? "on" : ""} onChange={(value) => change(value === "on")}
        options={[{ value: "", label: t(item.choice[0]) }, { value: "on", label: t(item.choice[1]) }]} />
      {fields}
    </div>
  );
}

const sourceLabels: Record<string, Key> = { persistentVolumeClaim: "create.claimVolume", emptyDir: "create.memoryVolume" };

function MountRow({ mount, ...shared }: { mount: Mount } & Shared) {
  const known = sourceLabels[mount.source];
  return (
    <li>
      <span class="quiet">{known ? t(known) : mount.source} <code>{mount.volume}</code></span>
      <IconButton icon="close" label={t("create.removeVolume", { name: mount.volume })} onClick={() => shared.apply(mount.remove)} />
      <div class="form-grid"><Boxes specs={mount.fields} {...shared} /></div>
    </li>
  );
}

function RoleCard({ role, names, onRename, onRemove, ...shared }: { role: Role; names: readonly string[]; onRename?: (name: string) => void; onRemove?: () => void } & Shared) {
  const { apply } = shared;
  return (
    <section class="card" aria-label={role.name || t("create.role")}>
      <details open>
        <summary><h2 class="object">{role.name || t("create.role")}</h2></summary>
        <div class="form-grid">
          {onRename && (
            <div class="form-field">
              <Select label={t("create.roleName")} value={role.name} onChange={onRename} options={[...new Set([role.name, ...names])].map((value) => ({ value, label: value }))} />
            </div>
          )}
          <Boxes specs={role.fields} {...shared} />
        </div>
        <h3>{t("create.volumes")}</h3>
        <ul class="mounts">{role.mounts.map((mount, index) => <MountRow key={index} mount={mount} {...shared} />)}</ul>
        {role.inits.map((init) => (
          <section key={pathText(init.path)} class="init" aria-label={t("create.initContainer", { name: String(valueAt(shared.manifest, [...init.path, "name"]) ?? "") })}>
            <h3>{t("create.initContainer", { name: String(valueAt(shared.manifest, [...init.path, "name"]) ?? "") })}</h3>
            <div class="form-grid"><Boxes specs={init.fields} {...shared} /></div>
            <Button kind="danger" onClick={() => apply([[init.path, undefined, init.path.length - 2]])}>{t("create.removeInit")}</Button>
          </section>
        ))}
        <div class="buttons">
          <Button onClick={() => apply(role.addClaim)}>{t("create.addVolume")}</Button>
          <Button onClick={() => apply(role.addMemory)}>{t("create.addMemory")}</Button>
          <Button onClick={() => apply(role.addInit)}>{t("create.addInit")}</Button>
          <span class="spacer" />
          {onRemove && <Button kind="danger" onClick={onRemove}>{t("create.removeRole")}</Button>}
        </div>
      </details>
    </section>
  );
}

export function FormView({ form, rename, ...shared }: FormViewProps) {
  const { manifest, apply } = shared;
  const roles = rolesOf(form, manifest);
  const more = addRole(form, manifest);
  const hidden = onlyInYaml(form, manifest);
  return (
    <div class="cards form">
      <section class="card" aria-label={t("create.basics")}>
        <details open>
          <summary><h2>{t("create.basics")}</h2></summary>
          <div class="general">
            {form.general.map((item) => isSection(item) ? <SectionBox key={item.label} item={item} {...shared} /> : <FieldBox key={pathText(item.path)} spec={item} {...shared} />)}
          </div>
        </details>
      </section>
      {roles.map((role, index) => (
        <RoleCard key={index} role={role} names={form.roles.names} {...shared}
          {...(form.roles.keyed ? { onRename: (name: string) => rename(role, name) } : {})}
          {...(roles.length > 1 ? { onRemove: () => apply([[role.path, undefined, form.roles.path.length]]) } : {})} />
      ))}
      {more && <div><Button onClick={() => apply([more])}>{t("create.addRole")}</Button></div>}
      {hidden.length > 0 && <p class="quiet">{t("create.more")} {hidden.map((path) => <code key={path}>{path} </code>)}</p>}
    </div>
  );
}
