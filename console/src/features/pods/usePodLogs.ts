// The logs of some pods as one list of lines, followed while they run.
import type { Pod } from "#types";
import { useEffect, useState } from "preact/hooks";
import { openStream } from "../../api/streams";
import { mergeLines, nameLines, readLines, type LogLine } from "../../lib/logs";
import { isPast } from "../jobs/history";
import { attemptOf } from "../jobs/replicas";

const frame = 50;
// A long list takes longer to put in order, so it is done less often.
const longFrame = 500;
const longList = 50_000;

const containerOf = (pod: Pod) => pod.spec?.containers?.[0]?.name ?? "";

export function hasStarted(pod: Pod): boolean {
  return (pod.status?.containerStatuses ?? []).some((one) => one.state?.running || one.state?.terminated || one.lastState?.terminated);
}

/** The path of a pod's log; an earlier attempt has one of its own, and its pod may be gone. */
export function logPath(ns: string, pod: Pod, attempt: number | undefined, query: Record<string, string>): string {
  const name = encodeURIComponent(pod.metadata?.name ?? "");
  const space = encodeURIComponent(ns);
  const isOwn = attempt === undefined || attempt === attemptOf(pod);
  const gone = isOwn && isPast(pod) ? { uid: pod.metadata?.uid ?? "" } : {};
  const params = new URLSearchParams({ container: containerOf(pod), ...query, ...gone });
  return isOwn && !isPast(pod)
    ? `/api/v1/namespaces/${space}/pods/${name}/log?${params}`
    : `/apis/muster.dev/v1/namespaces/${space}/pods/${name}/attempts/${attempt ?? attemptOf(pod)}/log?${params}`;
}

interface PodLogs {
  lines: LogLine[];
  /** Lines that their programs still write over, as a progress bar: at most one of each pod. */
  unfinished: LogLine[];
}

/** `range` says which part of the logs is wanted, as parameters of the API. */
export function usePodLogs(ns: string, pods: Pod[], attempt: number | undefined, range: Record<string, string>): PodLogs {
  const [logs, setLogs] = useState<PodLogs>({ lines: [], unfinished: [] });
  const started = pods.filter((pod) => attempt !== undefined || hasStarted(pod));
  const key = started.map((pod) => pod.metadata?.uid).join();
  useEffect(() => {
    let shown: LogLine[] = [];
    let added: LogLine[] = [];
    const unfinished = new Map<number, LogLine>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const flush = () => {
      timer = undefined;
      shown = mergeLines(shown, added);
      added = [];
      setLogs({ lines: shown, unfinished: [...unfinished.keys()].sort((a, b) => a - b).flatMap((source) => unfinished.get(source) ?? []) });
    };
    const open = (pod: Pod): (() => void) => {
      const source = pods.indexOf(pod);
      const query = { follow: "true", timestamps: "true", fold: "true", ...range };
      const last = { time: "", count: 0 };
      let close = () => {};
      close = openStream(logPath(ns, pod, attempt, query), [], {
        onLines: (texts) => {
          const { lines, state } = readLines(texts, source);
          if (state) unfinished.set(source, state);
          else unfinished.delete(source);
          nameLines(lines, last);
          for (const line of lines) added.push(line);
          timer ??= setTimeout(flush, shown.length > longList ? longFrame : frame);
        },
        onEnd: () => {
          if (unfinished.delete(source)) timer ??= setTimeout(flush, frame);
        },
        onReconnect: () => {
          // The stream starts again, so its lines are dropped.
          shown = shown.filter((line) => line.source !== source);
          added = added.filter((line) => line.source !== source);
          unfinished.delete(source);
          closers.set(source, open(pod));
        },
      });
      return () => close();
    };
    const closers = new Map<number, () => void>();
    setLogs({ lines: [], unfinished: [] });
    for (const pod of started) closers.set(pods.indexOf(pod), open(pod));
    return () => {
      clearTimeout(timer);
      for (const close of closers.values()) close();
    };
  }, [ns, key, attempt, JSON.stringify(range)]);
  return logs;
}
