// Lines over time, with the request and the limit as lines of their own, and marks for what happened. All charts of a page share one
// time axis: the pointer shows the values of its instant in each of them, and dragging chooses a part of the time.
import type { Signal } from "@preact/signals";
import { useRef, useState } from "preact/hooks";
import { t } from "../i18n";
import { near, roundUp, within, type Point } from "../lib/series";
import { formatClock } from "../lib/time";

interface Level {
  label: string;
  value: number;
  kind: "request" | "limit";
}

export interface Series {
  /** Empty if there is only one series. */
  label: string;
  points: Point[];
}

export interface Mark {
  /** Seconds since 1970. */
  time: number;
  label: string;
}

export interface TimeAxis {
  from: number;
  to: number;
  marks: Mark[];
  /** The instant under the pointer. */
  hover: Signal<number | undefined>;
  onZoom: (from: number, to: number) => void;
}

interface ChartProps {
  title: string;
  series: Series[];
  axis: TimeAxis;
  format: (value: number) => string;
  binary?: boolean;
  levels?: Level[];
  /** The axis ends here at least, such as 100 percent. */
  atLeast?: number;
}

const width = 600;
const height = 140;
/** A drag over less than this is a click. */
const shortestDrag = 8;

const clock = (time: number) => formatClock(time * 1000).slice(0, 8);

export function Chart({ title, series, axis, format, binary = false, levels = [], atLeast = 0 }: ChartProps) {
  const [drag, setDrag] = useState<{ from: number; to: number }>();
  const svg = useRef<SVGSVGElement>(null);
  const shown = series.map((one) => ({ ...one, points: within(one.points, axis.from, axis.to) })).filter((one) => one.points.length > 0);
  if (shown.length === 0) return <figure class="chart"><figcaption>{title}</figcaption><p class="quiet">{t("metrics.none")}</p></figure>;
  const { from, to } = axis;
  const top = roundUp(Math.max(atLeast, ...shown.map((one) => one.points.reduce((most, point) => Math.max(most, point.value), 0))), binary);
  const x = (time: number) => ((time - from) / Math.max(1, to - from)) * width;
  const y = (value: number) => height - (Math.min(Math.max(0, value), top) / top) * height;
  // A limit far above what is used would press the line to the ground; it is named below instead.
  const drawn = levels.filter((level) => level.value <= top);
  const pathOf = (points: Point[]) => points.map((point, index) => `${index ? "L" : "M"}${x(point.time).toFixed(1)} ${y(point.value).toFixed(1)}`).join("");
  const hover = axis.hover.value;
  const valueOf = (points: Point[]) => format((hover === undefined ? points[points.length - 1] : near(points, hover))?.value ?? 0);
  const placeOf = (event: PointerEvent) => {
    const box = svg.current?.getBoundingClientRect();
    return box ? Math.min(width, Math.max(0, ((event.clientX - box.left) / box.width) * width)) : 0;
  };
  const timeOf = (place: number) => from + (place / width) * (to - from);
  const first = shown[0]?.points ?? [];
  const last = first[first.length - 1];
  const several = shown.length > 1;
  const onPointerUp = () => {
    const [start, end] = [Math.min(drag?.from ?? 0, drag?.to ?? 0), Math.max(drag?.from ?? 0, drag?.to ?? 0)];
    setDrag(undefined);
    if (end - start > shortestDrag) axis.onZoom(timeOf(start), timeOf(end));
  };
  return (
    <figure class="chart">
      <figcaption>
        {title} {!several && <strong>{valueOf(first)}</strong>} {hover !== undefined && <span class="quiet">{clock(hover)}</span>}
      </figcaption>
      <div class="plot">
        <span class="axis">{format(top)}</span>
        <svg ref={svg} viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={t("metrics.chart", { title, value: last ? format(last.value) : "-" })}
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId);
            setDrag({ from: placeOf(event), to: placeOf(event) });
          }}
          onPointerMove={(event) => {
            axis.hover.value = timeOf(placeOf(event));
            if (drag) setDrag({ ...drag, to: placeOf(event) });
          }}
          onPointerUp={onPointerUp}
          onPointerLeave={() => (axis.hover.value = undefined)}>
          {drawn.map((level) => <line key={level.kind} class={level.kind} x1="0" x2={width} y1={y(level.value)} y2={y(level.value)} />)}
          {!several && last && <path d={`${pathOf(first)}L${x(last.time).toFixed(1)} ${height}L${x(first[0]?.time ?? from).toFixed(1)} ${height}Z`} class="area" />}
          {shown.map((one, index) => <path key={one.label} d={pathOf(one.points)} class={several ? `usage rank-${index % 8}` : "usage"} />)}
          {axis.marks.filter((mark) => mark.time >= from && mark.time <= to).map((mark) => (
            <line key={`${mark.time}${mark.label}`} class="mark-line" x1={x(mark.time)} x2={x(mark.time)} y1="0" y2={height}><title>{mark.label} {clock(mark.time)}</title></line>
          ))}
          {drag && <rect class="drag" x={Math.min(drag.from, drag.to)} width={Math.abs(drag.to - drag.from)} y="0" height={height} />}
          {hover !== undefined && hover >= from && hover <= to && <line class="cursor" x1={x(hover)} x2={x(hover)} y1="0" y2={height} />}
        </svg>
        <span class="axis start">{clock(from)}</span><span class="axis end">{clock(to)}</span>
      </div>
      {(levels.length > 0 || several) && (
        <p class="legend">
          {levels.map((level) => <span key={level.kind} class={level.kind}>{level.label} {format(level.value)}</span>)}
          {several && shown.map((one, index) => <span key={one.label} class={`series rank-${index % 8}`}>{one.label} {valueOf(one.points)}</span>)}
        </p>
      )}
    </figure>
  );
}
