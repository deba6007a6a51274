// The tabs of a page: links, because each has an address.
import { useEffect, useRef } from "preact/hooks";
import { t } from "../i18n";
import { hrefOf, withNamespace } from "../lib/router";

export interface Tab {
  id: string;
  label: string;
  count?: number;
}

export function Tabs({ tabs, chosen, path }: { tabs: Tab[]; chosen: string; path: string[] }) {
  const bar = useRef<HTMLElement>(null);
  // On a phone they are wider than the screen; counts that come later move them.
  useEffect(() => bar.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" }), [chosen, tabs.map((tab) => `${tab.label} ${tab.count ?? ""}`).join()]);
  return (
    <nav ref={bar} class="tabs" aria-label={t("job.basics")}>
      {tabs.map((tab) => (
        <a key={tab.id} href={hrefOf(path, withNamespace({ tab: tab.id || undefined }))} aria-current={tab.id === chosen ? "page" : undefined}>
          {tab.label}{tab.count ? <span class="count">{tab.count}</span> : null}
        </a>
      ))}
    </nav>
  );
}
