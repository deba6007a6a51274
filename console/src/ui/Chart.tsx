// A line over time, with the request and the limit as lines of their own. The pointer shows the value at its place.
import { useState } from "preact/hooks";
import { t } from "../i18n";
import { roundUp, type Point } from "../lib/series";
import { formatClock } from "../lib/time";

interface Level {
  label: string;
  value: number;
  kind: "request" | "limit";
}

interface ChartProps {
  title: string;
  points: Point[];
  format: (value: number) => string;
  binary?: boolean;
  levels?: Level[];
  /** The axis ends here at least, such as 100 percent. */
  atLeast?: number;
}

const width = 600;
const height = 140;

export function Chart({ title, points, format, binary = false, levels = [], atLeast = 0 }: ChartProps) {
  const [hover, setHover] = useState<number>();
  const last = points[points.length - 1];
  if (!last) return <figure class="chart"><figcaption>{title}</figcaption><p class="quiet">{t("metrics.none")}</p></figure>;
  const start = points[0]?.time ?? 0;
  const span = Math.max(1, last.time - start);
  const top = roundUp(Math.max(atLeast, ...points.map((point) => point.value)), binary);
  const x = (time: number) => ((time - start) / span) * width;
  const y = (value: number) => height - (Math.min(value, top) / top) * height;
  // A limit far above what is used would press the line to the ground; it is named below instead.
  const drawn = levels.filter((level) => level.value <= top);
  const path = points.map((point, index) => `${index ? "L" : "M"}${x(point.time).toFixed(1)} ${y(point.value).toFixed(1)}`).join("");
  const shown = hover === undefined ? last : points.reduce((near, point) => (Math.abs(x(point.time) - hover) < Math.abs(x(near.time) - hover) ? point : near), last);
  return (
    <figure class="chart">
      <figcaption>{title} <strong>{format(shown.value)}</strong> {hover !== undefined && <span class="quiet">{formatClock(shown.time * 1000).slice(0, 8)}</span>}</figcaption>
      <div class="plot">
        <span class="axis">{format(top)}</span>
        <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={t("metrics.chart", { title, value: format(last.value) })}
          onPointerMove={(event) => {
            const box = event.currentTarget.getBoundingClientRect();
            setHover(((event.clientX - box.left) / box.width) * width);
          }}
          onPointerLeave={() => setHover(undefined)}>
          {drawn.map((level) => <line key={level.kind} class={level.kind} x1="0" x2={width} y1={y(level.value)} y2={y(level.value)} />)}
          <path d={`${path}L${x(last.time).toFixed(1)} ${height}L0 ${height}Z`} class="area" />
          <path d={path} class="usage" />
          {hover !== undefined && <line class="cursor" x1={x(shown.time)} x2={x(shown.time)} y1="0" y2={height} />}
        </svg>
        <span class="axis start">{formatClock(start * 1000).slice(0, 8)}</span><span class="axis end">{formatClock(last.time * 1000).slice(0, 8)}</span>
      </div>
      {levels.length > 0 && <p class="legend">{levels.map((level) => <span key={level.kind} class={level.kind}>{level.label} {format(level.value)}</span>)}</p>}
    </figure>
  );
}
