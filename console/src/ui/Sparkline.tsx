// A curve as small as a word.
import type { Point } from "../lib/series";

const width = 96;
const height = 20;

export function Sparkline({ label, points }: { label: string; points: Point[] }) {
  const values = points.map((point) => point.value);
  const least = Math.min(...values);
  const span = Math.max(...values) - least || 1;
  const x = (index: number) => (points.length > 1 ? (index / (points.length - 1)) * width : 0);
  const y = (value: number) => 1 + (1 - (value - least) / span) * (height - 2);
  const path = values.map((value, index) => `${index ? "L" : "M"}${x(index).toFixed(1)} ${y(value).toFixed(1)}`).join("");
  return (
    <svg class="sparkline" viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={label}>
      <title>{label}</title>
      <path d={path} />
    </svg>
  );
}
