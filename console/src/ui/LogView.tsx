// A log of any length: only the lines in sight are rendered. It follows the end until the reader scrolls away.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { t } from "../i18n";
import { parseAnsi } from "../lib/ansi";
import { firstError, search, type LogLine } from "../lib/logs";
import { formatClock } from "../lib/time";
import { Button, IconButton } from "./Button";

interface LogViewProps {
  label: string;
  lines: LogLine[];
  /** What stands at the left of a line, by its source; nothing when there is only one. */
  sources: string[];
  waiting: boolean;
  onDownload: () => void;
}

const lineHeight = 18;
const overscan = 40;

function LineText({ text }: { text: string }) {
  return <>{parseAnsi(text).map((span, index) => (span.classes ? <span key={index} class={span.classes}>{span.text}</span> : span.text))}</>;
}

export function LogView({ label, lines, sources, waiting, onDownload }: LogViewProps) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [follow, setFollow] = useState(true);
  const [times, setTimes] = useState(false);
  const [pattern, setPattern] = useState("");
  const [match, setMatch] = useState(0);
  const found = useMemo(() => search(lines, pattern), [lines, pattern]);
  const error = useMemo(() => firstError(lines), [lines]);
  const height = box.current?.clientHeight ?? 600;

  useEffect(() => {
    if (follow && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [lines, follow]);

  const show = (index: number) => {
    setFollow(false);
    if (box.current) box.current.scrollTop = Math.max(0, index * lineHeight - height / 2);
  };
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

  const first = Math.max(0, Math.floor(top / lineHeight) - overscan);
  const last = Math.min(lines.length, Math.ceil((top + height) / lineHeight) + overscan);
  const matched = new Set(found);
  const current = found?.[match];
  const result = found === undefined ? t("logs.badPattern") : found.length ? t("logs.matches", { at: match + 1, count: found.length }) : t("logs.noMatch");
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
        <label class="check"><input type="checkbox" checked={times} onChange={(event) => setTimes(event.currentTarget.checked)} /> {t("logs.times")}</label>
        <label class="check"><input type="checkbox" checked={follow} onChange={(event) => setFollow(event.currentTarget.checked)} /> {t("logs.follow")}</label>
        <IconButton icon="download" label={t("logs.download")} onClick={onDownload} />
      </div>
      <div class="log-lines" ref={box} role="log" aria-label={label} tabIndex={0} onScroll={onScroll}>
        {lines.length === 0 && <p class="quiet">{waiting ? t("logs.waiting") : t("logs.empty")}</p>}
        <div style={{ height: `${lines.length * lineHeight}px` }}>
          <div style={{ transform: `translateY(${first * lineHeight}px)` }}>
            {lines.slice(first, last).map((line, index) => {
              const number = first + index;
              const marks = `${matched.has(number) ? "match" : ""} ${number === current ? "current" : ""} ${number === error ? "error" : ""}`;
              return (
                <div class={`line ${marks}`} key={number}>
                  {times && <span class="at">{formatClock(line.time)}</span>}
                  {sources.length > 1 && <span class={`source rank-${line.source % 8}`}>{sources[line.source]}</span>}
                  <span><LineText text={line.text} /></span>
                </div>
              );
            })}
          </div>
        </div>
      </div>
    </div>
  );
}
