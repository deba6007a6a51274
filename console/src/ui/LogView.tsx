// A log of any length: only the lines in sight are rendered. It follows the end until the reader scrolls away.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { t } from "../i18n";
import { parseAnsi } from "../lib/ansi";
import { firstError, hashOf, lineAtRow, repeatsRepetition, rowStarts, search, type LineLink, type LogLine } from "../lib/logs";
import { formatClock } from "../lib/time";
import { Button, IconButton } from "./Button";

interface LogViewProps {
  label: string;
  lines: LogLine[];
  /** Below them: what is still written over. */
  unfinished: LogLine[];
  /** What stands at the left of a line, by its source; nothing when there is only one. */
  sources: string[];
  waiting: boolean;
  onDownload: () => void;
  /** Whether lines have links of their own, and the one that the address names. */
  linked?: boolean;
  link?: LineLink | undefined;
}

const lineHeight = 18;
const overscan = 40;

function LineText({ text }: { text: string }) {
  return <>{parseAnsi(text).map((span, index) => (span.classes ? <span key={index} class={span.classes}>{span.text}</span> : span.text))}</>;
}

/** How many characters fit in the text of a line; 0 until it is known. */
function useColumns(box: { current: HTMLElement | null }, wrap: boolean, ...layout: unknown[]): number {
  const [columns, setColumns] = useState(0);
  useLayoutEffect(() => {
    if (!wrap || !box.current) return undefined;
    const measure = () => {
      const text = box.current?.querySelector<HTMLElement>(".text");
      const probe = box.current?.querySelector<HTMLElement>(".probe");
      if (text && probe) setColumns(Math.max(1, Math.floor(text.getBoundingClientRect().width / (probe.getBoundingClientRect().width / 100))));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [wrap, ...layout]);
  return columns;
}

export function LogView({ label, lines, unfinished, sources, waiting, onDownload, linked = false, link }: LogViewProps) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [follow, setFollow] = useState(link === undefined);
  const [times, setTimes] = useState(false);
  const [wrap, setWrap] = useState(false);
  const [pattern, setPattern] = useState("");
  const [match, setMatch] = useState(0);
  const found = useMemo(() => search(lines, pattern), [lines, pattern]);
  const error = useMemo(() => firstError(lines), [lines]);
  const target = useMemo(() => (link ? lines.findIndex((line) => line.id === link.id && sources[line.source] === link.source) : -1), [lines, link]);
  const columns = useColumns(box, wrap, times, sources.length, lines.length > 0);
  // With lines that are wrapped, a line begins on a row that depends on all before it.
  const starts = useMemo(() => (wrap && columns ? rowStarts(lines, columns) : undefined), [lines, wrap, columns]);
  const rowOf = (index: number) => starts?.[index] ?? index;
  const lineAt = (row: number) => (starts ? lineAtRow(starts, row) : Math.max(0, row));
  const height = box.current?.clientHeight ?? 600;

  useEffect(() => {
    if (follow && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [lines, unfinished, follow, starts]);

  const show = (index: number) => {
    setFollow(false);
    if (box.current) box.current.scrollTop = Math.max(0, rowOf(index) * lineHeight - height / 2);
  };
  // The line of the address comes into sight when it has arrived, and when another one is named.
  useEffect(() => {
    if (target >= 0) show(target);
  }, [target >= 0, link?.id]);
  const step = (by: number) => {
    if (!found || found.length === 0) return;
    const next = (match + by + found.length) % found.length;
    setMatch(next);
    show(found[next] ?? 0);
  };
  const onScroll = () => {
    const at = box.current;
    if (!at) return;
    setTop(at.scrollTop);
    setFollow(at.scrollHeight - at.scrollTop - at.clientHeight < lineHeight * 2);
  };

  const first = Math.max(0, lineAt(Math.floor(top / lineHeight)) - overscan);
  const last = Math.min(lines.length, lineAt(Math.ceil((top + height) / lineHeight)) + overscan);
  const matched = useMemo(() => new Set(found), [found]);
  const current = found?.[match];
  const result = found === undefined ? t(repeatsRepetition(pattern) ? "logs.slowPattern" : "logs.badPattern") : found.length ? t("logs.matches", { at: match + 1, count: found.length }) : t("logs.noMatch");
  const check = (text: string, value: boolean, set: (value: boolean) => void) => (
    <label class="check"><input type="checkbox" checked={value} onChange={(event) => set(event.currentTarget.checked)} /> {text}</label>
  );
  return (
    <div class="log">
      <div class="log-bar">
        <input type="search" class="field" aria-label={t("logs.search")} placeholder={t("logs.search")} value={pattern}
          onInput={(event) => {
            setPattern(event.currentTarget.value);
            setMatch(0);
          }}
          onKeyDown={(event) => event.key === "Enter" && step(event.shiftKey ? -1 : 1)} />
        {pattern && <span class="quiet" role="status">{result}</span>}
        {pattern && <IconButton icon="up" label={t("logs.previous")} onClick={() => step(-1)} />}
        {pattern && <IconButton icon="down" label={t("logs.next")} onClick={() => step(1)} />}
        {error >= 0 && <Button onClick={() => show(error)}>{t("logs.firstError")}</Button>}
        <span class="spacer" />
        <span class="quiet">{t("logs.lines", { count: lines.length })}</span>
        {check(t("logs.wrap"), wrap, setWrap)}
        {check(t("logs.times"), times, setTimes)}
        {check(t("logs.follow"), follow, setFollow)}
        <IconButton icon="download" label={t("logs.download")} onClick={onDownload} />
      </div>
      <div class={wrap ? "log-lines wrap" : "log-lines"} ref={box} role="log" aria-label={label} tabIndex={0} onScroll={onScroll}>
        {lines.length + unfinished.length === 0 && <p class="quiet">{waiting ? t("logs.waiting") : t("logs.empty")}</p>}
        {wrap && <span class="probe" aria-hidden="true">{"0".repeat(100)}</span>}
        <div style={{ height: `${rowOf(lines.length) * lineHeight}px` }}>
          <div style={{ transform: `translateY(${rowOf(first) * lineHeight}px)` }}>
            {lines.slice(first, last).map((line, index) => {
              const number = first + index;
              const marks = `${matched.has(number) ? "match" : ""} ${number === current || number === target ? "current" : ""} ${number === error ? "error" : ""}`;
              return (
                <div class={`line ${marks}`} key={number} style={starts ? { height: `${(rowOf(number + 1) - rowOf(number)) * lineHeight}px` } : undefined}>
                  {linked && <a class="line-link" href={hashOf({ source: sources[line.source] ?? "", id: line.id })} aria-label={t("logs.link")} title={t("logs.link")} tabIndex={-1}>#</a>}
                  {times && <span class="at">{formatClock(line.time)}</span>}
                  {sources.length > 1 && <span class={`source rank-${line.source % 8}`}>{sources[line.source]}</span>}
                  <span class="text"><LineText text={line.text} /></span>
                </div>
              );
            })}
          </div>
        </div>
        {unfinished.map((line) => (
          <div class="line unfinished" key={line.source}>
            {linked && <span class="line-link" aria-hidden="true" />}
            {times && <span class="at">{formatClock(line.time)}</span>}
            {sources.length > 1 && <span class={`source rank-${line.source % 8}`}>{sources[line.source]}</span>}
            <span class="text"><LineText text={line.text} /></span>
          </div>
        ))}
      </div>
    </div>
  );
}
