// A table that renders only the rows in sight, so that ten thousand cost as much as fifty.
import type { ComponentChildren } from "preact";
import { memo } from "preact/compat";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";

export interface Column<T> {
  key: string;
  title: string;
  cell: (row: T) => ComponentChildren;
  /** A CSS width, such as "minmax(200px, 2fr)". */
  width: string;
  numeric?: boolean;
  /** Left out on phones, or already on tablets. */
  hidden?: "phone" | "tablet";
}

interface TableProps<T> {
  label: string;
  rows: T[];
  columns: Column<T>[];
  keyOf: (row: T) => string;
  /** A line under the row that says why it needs attention. */
  noteOf?: (row: T) => string;
  onOpen?: (row: T) => void;
  /** The keys of the rows that are ticked; without it, rows cannot be ticked. */
  selection?: Selection<T>;
}

export interface Selection<T> {
  keys: ReadonlySet<string>;
  onChange: (keys: ReadonlySet<string>) => void;
  /** What the box of a row is called, and the one for all of them. */
  labelOf: (row: T) => string;
  labelOfAll: string;
}

export function toggled(keys: ReadonlySet<string>, key: string): ReadonlySet<string> {
  return new Set(keys.has(key) ? [...keys].filter((one) => one !== key) : [...keys, key]);
}

const rowHeight = 36;
const noteGap = 4;  // under a note
const noteLineHeight = 16;
const mostNoteLines = 4;
const phoneWidth = 720;  // as in the style sheet
const above = 200;  // at least this much of the window is above a table
const overscan = 360;  // pixels beyond the edges, so that a quick scroll shows no gap

/** The index of the last row that begins at or before the position. */
export function rowAt(offsets: number[], position: number): number {
  let low = 0;
  let high = offsets.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((offsets[middle] ?? 0) <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** How many lines a note takes that is wrapped at this width, or as many of them as are shown. */
export function noteLines(note: string, width: number): number {
  let used = 0;
  for (const letter of note) {
    used += letter < "\u2e80" ? 6.6 : 12;
    if (used > width * mostNoteLines) break;
  }
  return Math.min(mostNoteLines, Math.ceil((used * 1.08) / width));
}

const heightOf = (lines: number) => (lines ? rowHeight + noteGap + lines * noteLineHeight : rowHeight);

const Box = ({ label, checked, onChange }: { label: string; checked: boolean; onChange: () => void }) => (
  <input type="checkbox" aria-label={label} checked={checked} onChange={onChange} />
);
const cellClass = (column: Column<never>, at: number) =>
  `cell ${column.numeric ? "numeric" : ""} ${column.hidden ? `not-${column.hidden}` : ""} ${at === 0 ? "pinned" : column.key === "actions" ? "pinned-right" : ""}`;

interface RowProps<T> {
  row: T;
  at: number;
  top: number;
  note: string;
  lines: number;
  isChosen: boolean;
  columns: Column<T>[];
  keyOf: (row: T) => string;
  selection: Selection<T> | undefined;
}

function RowView<T>({ row, at, top, note, lines, isChosen, columns, keyOf, selection }: RowProps<T>) {
  return (
    <div role="row" class={`row ${isChosen ? "chosen" : ""}`} aria-rowindex={at + 2}
      style={{ transform: `translateY(${top}px)`, height: `${heightOf(lines)}px`, "--lines": lines }}>
      {selection && (
        <div role="cell" class="cell pinned-box">
          <Box label={selection.labelOf(row)} checked={selection.keys.has(keyOf(row))} onChange={() => selection.onChange(toggled(selection.keys, keyOf(row)))} />
        </div>
      )}
      {columns.map((column, index) => <div role="cell" key={column.key} class={cellClass(column, index)}>{column.cell(row)}</div>)}
      {note ? <div role="cell" class="note" title={note}>{note}</div> : null}
    </div>
  );
}
// While the page scrolls, the rows that stay in sight are not rendered again.
const Row = memo(RowView) as typeof RowView;

export function Table<T>({ label, rows, columns, keyOf, noteOf, onOpen, selection }: TableProps<T>) {
  const head = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const [isScrolled, setScrolled] = useState(false);
  const [view, setView] = useState({ top: -above, height: innerHeight, width: innerWidth, beyond: 0 });  // the first frame has only what is in sight
  const [chosen, setChosen] = useState(-1);
  const cursor = useRef(-1);  // the same at once, for a key that is pressed before the next rendering
  const notes = useMemo(() => rows.map((row) => noteOf?.(row) ?? ""), [rows, noteOf]);
  // A note has one line, but on a phone, where nothing shows the rest of it, as many as it needs.
  const noteWidth = view.width > phoneWidth ? 0 : view.width - (selection ? 78 : 50);
  const lines = useMemo(() => notes.map((note) => (note && noteWidth ? noteLines(note, noteWidth) : note ? 1 : 0)), [notes, noteWidth]);
  const offsets = useMemo(() => {
    const starts = [0];
    for (const count of lines) starts.push((starts[starts.length - 1] ?? 0) + heightOf(count));
    return starts;
  }, [lines]);
  const total = offsets[rows.length] ?? 0;

  // The page scrolls, not the table: the part in sight is that between the edges of the window.
  useEffect(() => {
    const look = () => {
      const top = -(body.current?.getBoundingClientRect().top ?? 0);
      setView((before) => (Math.abs(before.top - top) < rowHeight && before.height === innerHeight && before.width === innerWidth && before.beyond ? before : { top, height: innerHeight, width: innerWidth, beyond: overscan }));
    };
    const first = setTimeout(look, 50);  // what is beyond the edges can wait
    addEventListener("scroll", look, { passive: true });
    addEventListener("resize", look);
    return () => {
      clearTimeout(first);
      removeEventListener("scroll", look);
      removeEventListener("resize", look);
    };
  }, []);

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.target instanceof Element && event.target.closest("input, select, textarea, dialog, [popover]")) return;
      const step = event.key === "j" ? 1 : event.key === "k" ? -1 : 0;
      if (step) cursor.current = Math.min(rows.length - 1, Math.max(0, cursor.current + step));
      if (step) setChosen(cursor.current);
      const row = rows[cursor.current];
      if (event.key === "Enter" && row && event.target === document.body) onOpen?.(row);
      if (event.key === "x" && row && selection) selection.onChange(toggled(selection.keys, keyOf(row)));
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [rows, onOpen, selection]);
  useEffect(() => {
    const top = (body.current?.getBoundingClientRect().top ?? 0) + (offsets[chosen] ?? 0);
    if (chosen >= 0 && (top < 100 || top > innerHeight - 60)) scrollBy(0, top - innerHeight / 2);
  }, [chosen]);

  const first = rowAt(offsets, Math.max(0, view.top - view.beyond));
  const last = Math.min(rows.length, rowAt(offsets, view.top + view.height + view.beyond) + 1);
  const widthsOf = (shown: Column<T>[]) => [...(selection ? ["16px"] : []), ...shown.map((column) => column.width)].join(" ");
  const widths = widthsOf(columns);
  const onTablet = widthsOf(columns.filter((column) => column.hidden !== "tablet"));
  const onPhone = widthsOf(columns.filter((column) => !column.hidden));
  const allTicked = selection !== undefined && rows.length > 0 && rows.every((row) => selection.keys.has(keyOf(row)));
  // The head stays at the top of the page, so it cannot be within what scrolls sideways: it follows.
  const follow = (event: { currentTarget: HTMLElement }) => {
    if (head.current) head.current.scrollLeft = event.currentTarget.scrollLeft;
    setScrolled(event.currentTarget.scrollLeft > 0);
  };
  return (
    <div class={`table ${selection ? "with-boxes" : ""} ${isScrolled ? "scrolled" : ""}`} role="table" aria-label={label} aria-rowcount={rows.length + 1}
      style={{ "--columns": widths, "--tablet-columns": onTablet, "--phone-columns": onPhone }}>
      <div role="rowgroup" class="table-head" ref={head}>
        <div role="row" class="row head">
          {selection && <div role="columnheader" class="cell pinned-box"><Box label={selection.labelOfAll} checked={allTicked} onChange={() => selection.onChange(new Set(allTicked ? [] : rows.map(keyOf)))} /></div>}
          {columns.map((column, index) => <div role="columnheader" key={column.key} class={cellClass(column, index)}>{column.title}</div>)}
        </div>
      </div>
      <div class="table-scroll" onScroll={follow}>
        <div role="rowgroup" class="table-body" ref={body} style={{ height: `${total}px` }}>
          {rows.slice(first, last).map((row, index) => (
            <Row key={keyOf(row)} row={row} at={first + index} top={offsets[first + index] ?? 0} note={notes[first + index] ?? ""} lines={lines[first + index] ?? 0} isChosen={first + index === chosen}
              columns={columns} keyOf={keyOf} selection={selection} />
          ))}
        </div>
      </div>
    </div>
  );
}
