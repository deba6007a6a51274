// The frame of every page: navigation at the left, and at the top the project, where one is, and the connection.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { logOut } from "../api/login";
import { connection, reconnectNow } from "../api/streams";
import { t } from "../i18n";
import { IconButton } from "../ui/Button";
import { now } from "../ui/clock";
import { Icon } from "../ui/Icon";
import { Toast } from "../ui/toast";
import { Help } from "./Help";
import { namespaces, startNamespaces } from "./namespaces";
import { pageGroups } from "./pages";
import { Palette } from "./Palette";
import { chosenNamespace, go, hrefOf, place, setQuery, withNamespace } from "../lib/router";
import { chooseLanguage, chooseTheme, language, theme } from "./settings";

export interface Crumb {
  label: string;
  href?: string;
}

function ConnectionState() {
  const at = connection.value;
  if (at.state === "live") return <span class="connection live"><i aria-hidden="true" />{t("top.live")}</span>;
  if (at.state === "connecting") return <span class="connection"><i aria-hidden="true" />{t("top.connecting")}</span>;
  const seconds = Math.max(1, Math.ceil((at.until - now.value) / 1000));
  return (
    <button type="button" class="connection lost" role="status" onClick={reconnectNow}>
      <i aria-hidden="true" />{t("top.reconnecting", { seconds })}
    </button>
  );
}

function ProjectChooser() {
  const chosen = chosenNamespace();
  const names = namespaces.value.includes(chosen) || !chosen ? namespaces.value : [chosen, ...namespaces.value];
  const onDetail = place.value.path.length > 1;
  return (
    <select class="project" aria-label={t("top.project")} value={chosen || "*"}
      onChange={(event) => {
        const ns = event.currentTarget.value;
        if (onDetail) go(hrefOf([place.value.path[0] ?? "jobs"], { ns }));
        else setQuery({ ns });
      }}>
      {names.map((name) => <option key={name} value={name}>{name}</option>)}
      <option value="*">{t("top.allProjects")}</option>
    </select>
  );
}

function Navigation() {
  const [first = "overview"] = place.value.path;
  const section = first === "create" ? "jobs" : first;
  return (
    <nav aria-label={t("nav.label")}>
      <a class="brand" href={hrefOf([], withNamespace())}><span aria-hidden="true">◆</span> {t("app.name")}</a>
      {pageGroups.map((group) => (
        <section key={group.label}>
          {group.label && <h2>{t(group.label)}</h2>}
          {group.pages.map((page) => (
            <a key={page.section} href={hrefOf([page.section], withNamespace())} aria-current={section === page.section ? "page" : undefined}>
              <Icon name={page.icon} /> <span>{t(page.label)}</span>
            </a>
          ))}
        </section>
      ))}
    </nav>
  );
}

/** ":" opens the palette, "/" goes to the search of the page, "?" shows what keys do. */
function useShortcuts(open: (what: "palette" | "help") => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const palette = event.key === "k" && (event.metaKey || event.ctrlKey);
      // An editor is in a shadow tree, which hides what is typed into. A dialog that was just closed may still have the focus.
      const [target] = event.composedPath();
      const typing = target instanceof Element && target.closest("input, select, textarea, dialog[open], [contenteditable]");
      if (!palette && (typing || event.metaKey || event.ctrlKey || event.altKey)) return;
      if (palette || event.key === ":") open("palette");
      else if (event.key === "?") open("help");
      else if (event.key === "/") document.querySelector<HTMLInputElement>("input[type=search]")?.focus();
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}

export function Shell({ crumbs, children }: { crumbs: Crumb[]; children: ComponentChildren }) {
  const [overlay, setOverlay] = useState<"palette" | "help">();
  const [menuOpen, setMenuOpen] = useState(false);
  useEffect(startNamespaces, []);
  useShortcuts(setOverlay);
  useEffect(() => setMenuOpen(false), [place.value]);
  const title = crumbs.map((crumb) => crumb.label).reverse().join(" · ");
  useEffect(() => {
    document.title = `${title} · ${t("app.name")}`;
  }, [title]);
  return (
    <div class={`frame ${menuOpen ? "menu-open" : ""}`}>
      <a class="skip" href="#content">{t("app.skip")}</a>
      <Navigation />
      <header class="top">
        <span class="only-phone"><IconButton icon="menu" label={t("nav.menu")} onClick={() => setMenuOpen(!menuOpen)} /></span>
        <ProjectChooser />
        <ol class="crumbs">
          {crumbs.map((crumb) => <li key={crumb.label} title={crumb.label}>{crumb.href ? <a href={crumb.href}>{crumb.label}</a> : <span>{crumb.label}</span>}</li>)}
        </ol>
        <ConnectionState />
        <button type="button" class="text-button" title={t("top.languageLabel")} onClick={() => chooseLanguage(language.value === "zh" ? "en" : "zh")}>
          {t("top.language")}
        </button>
        <IconButton icon={theme.value === "dark" ? "sun" : "moon"} label={t(theme.value === "dark" ? "top.themeLight" : "top.themeDark")}
          onClick={() => chooseTheme(theme.value === "dark" ? "light" : "dark")} />
        <span class="not-phone"><IconButton icon="help" label={t("top.help")} onClick={() => setOverlay("help")} /></span>
        <IconButton icon="logout" label={t("top.logout")} onClick={() => void logOut()} />
      </header>
      <main id="content" tabIndex={-1}>{children}</main>
      <Toast />
      {overlay === "help" && <Help onClose={() => setOverlay(undefined)} />}
      {overlay === "palette" && <Palette onClose={() => setOverlay(undefined)} />}
    </div>
  );
}
