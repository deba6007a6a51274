// What the training has logged for TensorBoard, as curves of the page's own: they need no TensorBoard that runs.
import { useEffect, useState } from "preact/hooks";
import { ApiError, getJson } from "../../api/client";
import { t } from "../../i18n";
import type { Point } from "../../lib/series";
import { Chart, type TimeAxis } from "../../ui/Chart";

export interface Scalars {
  /** Points are step, seconds since 1970 and value; a value that is not a number is null. */
  runs: { name: string; folder?: string; series: { tag: string; points: [number, number, number | null][] }[] }[];
  /** Files that were not read as a whole, one sentence each. */
  problems?: string[];
}

interface Curve {
  title: string;
  points: Point[];
}

const most = 24;

/** A curve for each tag of each run; the run is named if there are several. */
export function curvesOf(scalars: Scalars): Curve[] {
  const curves = scalars.runs.flatMap((run) =>
    run.series.map((series) => ({
      title: scalars.runs.length > 1 ? `${series.tag} (${run.name === "." ? run.folder ?? run.name : run.name})` : series.tag,
      points: series.points.flatMap(([, time, value]) => (value === null ? [] : [{ time, value }])),
    })));
  return curves.filter((curve) => curve.points.length > 0).slice(0, most);
}

const format = (value: number) => (Math.abs(value) >= 100 ? value.toFixed(1) : value.toPrecision(4));

/** `round` changes when they are to be read again. */
export function Curves({ path, round, axis }: { path: string; round: number; axis: TimeAxis }) {
  const [curves, setCurves] = useState<Curve[]>([]);
  const [problems, setProblems] = useState<string[]>([]);
  useEffect(() => {
    let gone = false;
    getJson<Scalars>(path).then(
      (scalars) => {
        if (gone) return;
        setCurves(curvesOf(scalars));
        setProblems(scalars.problems ?? []);
      },
      // A job without logs, or a server without this path, has no curves.
      (error: unknown) => !gone && !(error instanceof ApiError && error.code === 404) && setCurves([]),
    );
    return () => {
      gone = true;
    };
  }, [path, round]);
  if (curves.length === 0 && problems.length === 0) return null;
  return (
    <section class="card">
      <h2>{t("metrics.training")}</h2>
      {problems.length > 0 && (
        <div class="note" role="note">{t("metrics.unread")}<ul>{problems.map((problem) => <li key={problem}>{problem}</li>)}</ul></div>
      )}
      <div class="charts">{curves.map((curve) => <Chart key={curve.title} title={curve.title} series={[{ label: "", points: curve.points }]} axis={axis} format={format} />)}</div>
    </section>
  );
}
