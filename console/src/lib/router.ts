// The address is the state: whatever narrows a view is in the URL, so that Back, reload and links work.
import { signal } from "@preact/signals";

const base = "/console/";

interface Place {
  /** Segments after /console/, decoded. */
  path: string[];
  query: URLSearchParams;
}

function read(): Place {
  const path = location.pathname.startsWith(base) ? location.pathname.slice(base.length) : "";
  return { path: path.split("/").filter(Boolean).map(decodeURIComponent), query: new URLSearchParams(location.search) };
}

export const place = signal<Place>(read());

export function hrefOf(path: string[], query: Record<string, string | undefined> = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) params.set(name, value);
  const text = params.toString();
  return base + path.map(encodeURIComponent).join("/") + (text ? `?${text}` : "");
}

export function go(href: string, replace = false): void {
  if (replace) history.replaceState(null, "", href);
  else history.pushState(null, "", href);
  place.value = read();
  if (!replace) window.scrollTo(0, 0);
}

/** Changes parameters of this page; an empty value removes one. Typing replaces the entry in the history. */
export function setQuery(changes: Record<string, string>, replace = false): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  const text = query.toString();
  go(location.pathname + (text ? `?${text}` : "") + location.hash, replace);
}

export function startRouter(): void {
  addEventListener("popstate", () => (place.value = read()));
  // Plain clicks on links of the console stay in this page; the browser does all others.
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
    if (link.target || link.origin !== location.origin || !link.pathname.startsWith(base) || link.hash) return;
    event.preventDefault();
    go(link.pathname + link.search);
  });
}

/** The namespace that the page shows; "" is all of them. */
export function chosenNamespace(): string {
  const given = place.value.query.get("ns");
  return given === "*" ? "" : (given ?? "default");
}

/** Takes the chosen namespace along to another page. */
export function withNamespace(query: Record<string, string | undefined> = {}): Record<string, string | undefined> {
  return { ns: place.value.query.get("ns") ?? undefined, ...query };
}
