// Measured values over time, of one pod or of several together. Pure.

export interface History {
  stepSeconds: number;
  times: number[];
  series: { name: string; unit: string; values: (number | null)[] }[];
}

export interface Point {
  time: number;
  value: number;
}

/** The sum over all histories of the series with these names, at each time; times are aligned to the longest step. */
export function sumSeries(histories: History[], names: string[]): Point[] {
  const step = Math.max(1, ...histories.map((one) => one.stepSeconds));
  const sums = new Map<number, number>();
  for (const history of histories) {
    const own = new Map<number, { total: number; count: number }>();
    history.times.forEach((time, index) => {
      const values = history.series.filter((one) => names.includes(one.name)).map((one) => one.values[index] ?? null);
      if (values.every((value) => value === null)) return;
      const slot = Math.round(time / step) * step;
      const before = own.get(slot) ?? { total: 0, count: 0 };
      own.set(slot, { total: before.total + values.reduce<number>((sum, value) => sum + (value ?? 0), 0), count: before.count + 1 });
    });
    for (const [time, { total, count }] of own) sums.set(time, (sums.get(time) ?? 0) + total / count);
  }
  return [...sums].map(([time, value]) => ({ time, value })).sort((a, b) => a.time - b.time);
}

const seriesNames = (histories: History[]) => [...new Set(histories.flatMap((one) => one.series.map((series) => series.name)))];

/** A line for each GPU: they are counted within a replica, and no two of them are one. `kind` is "utilisation" or "memory". */
export function gpuSeries(histories: { label: string; history: History }[], kind: string): { label: string; points: Point[] }[] {
  return histories.flatMap(({ label, history }) =>
    seriesNames([history]).filter((name) => name.startsWith("gpu-") && name.endsWith(`-${kind}`)).map((name) => ({
      label: `${histories.length > 1 ? `${label} ` : ""}${name.slice(0, -kind.length - 1)}`, points: sumSeries([history], [name]) })));
}

/** The points of a part of the time. */
export const within = (points: Point[], from: number, to: number) => points.filter((point) => point.time >= from && point.time <= to);

/** The point that is nearest to an instant. */
export const near = (points: Point[], time: number) =>
  points.reduce<Point | undefined>((best, point) => (!best || Math.abs(point.time - time) < Math.abs(best.time - time) ? point : best), undefined);

/** "2026-11-17T10:01:22" as a field for local times wants it, and back to seconds; NaN if it is not a time. */
export function localInput(seconds: number): string {
  const at = new Date(seconds * 1000);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}
export const fromLocalInput = (text: string) => new Date(text).getTime() / 1000;

/** A round number at or above the value: 1, 2 or 5 times a power of ten, of two for bytes. */
export function roundUp(value: number, binary: boolean): number {
  if (value <= 0) return 1;
  const unit = binary ? 1024 ** Math.floor(Math.log(value) / Math.log(1024)) : 1;
  const rest = value / unit;
  const power = 10 ** Math.floor(Math.log10(rest));
  const factor = [1, 2, 5, 10].find((one) => rest <= one * power * 1.0000001) ?? 10;
  return factor * power * unit;
}
