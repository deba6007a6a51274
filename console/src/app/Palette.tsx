// Goes to a job or page by a few letters of its name.
import { useMemo, useState } from "preact/hooks";
import { jobHref, shownJobs } from "../features/jobs/live";
import { stateOf } from "../features/jobs/model";
import { t } from "../i18n";
import { Dialog } from "../ui/Dialog";
import { StateShape } from "../ui/State";
import { allPages } from "./pages";
import { go, hrefOf, withNamespace } from "../lib/router";

const most = 12;

export function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const found = useMemo(() => {
    const wanted = text.toLowerCase();
    const pages = allPages.map((page) => ({ label: t(page.label), href: hrefOf([page.section], withNamespace()), shape: null })).filter((page) => page.label.toLowerCase().includes(wanted));
    const jobs = shownJobs().filter((job) => job.metadata?.name?.includes(wanted)).slice(0, most)
      .map((job) => ({ label: job.metadata?.name ?? "", href: jobHref(job), shape: <StateShape state={stateOf(job)} /> }));
    return [...pages, ...jobs];
  }, [text]);
  const open = (href: string | undefined) => {
    if (!href) return;
    onClose();
    go(href);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step) {
      event.preventDefault();
      setAt(Math.min(found.length - 1, Math.max(0, at + step)));
    }
    if (event.key === "Enter") open(found[at]?.href);
  };
  return (
    <Dialog title={t("palette.label")} onClose={onClose}>
      <input type="text" class="field" autofocus aria-label={t("palette.label")} placeholder={t("palette.placeholder")} value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown} />
      <ul class="palette">
        {found.map((item, index) => (
          <li key={item.href}>
            <a href={item.href} class={index === at ? "chosen" : ""} onClick={onClose}>{item.shape} {item.label}</a>
          </li>
        ))}
        {found.length === 0 && <li class="quiet">{t("palette.nothing")}</li>}
      </ul>
    </Dialog>
  );
}
