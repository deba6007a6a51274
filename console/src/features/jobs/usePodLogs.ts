// The logs of some pods as one list of lines, followed while they run.
import type { Pod } from "#types";
import { useEffect, useState } from "preact/hooks";
import { openStream } from "../../api/streams";
import { mergeLines, parseLine, type LogLine } from "../../lib/logs";
import { attemptOf } from "./replicas";

/** Lines that are read at first; a reader who wants more asks for everything. */
export const tailLines = 5000;
const frame = 50;

const containerOf = (pod: Pod) => pod.spec?.containers?.[0]?.name ?? "";

export function hasStarted(pod: Pod): boolean {
  return (pod.status?.containerStatuses ?? []).some((one) => one.state?.running || one.state?.terminated || one.lastState?.terminated);
}

/** The path of a pod's log; an earlier attempt has one of its own, and its pod may be gone. */
export function logPath(ns: string, pod: Pod, attempt: number | undefined, query: Record<string, string>): string {
  const name = encodeURIComponent(pod.metadata?.name ?? "");
  const space = encodeURIComponent(ns);
  const params = new URLSearchParams({ container: containerOf(pod), ...query });
  return attempt === undefined || attempt === attemptOf(pod)
    ? `/api/v1/namespaces/${space}/pods/${name}/log?${params}`
    : `/apis/muster.dev/v1/namespaces/${space}/pods/${name}/attempts/${attempt}/log?${params}`;
}

export function usePodLogs(ns: string, pods: Pod[], attempt: number | undefined, everything: boolean): LogLine[] {
  const [lines, setLines] = useState<LogLine[]>([]);
  const started = pods.filter((pod) => attempt !== undefined || hasStarted(pod));
  const key = started.map((pod) => pod.metadata?.uid).join();
  useEffect(() => {
    let shown: LogLine[] = [];
    let added: LogLine[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const flush = () => {
      timer = undefined;
      shown = mergeLines(shown, added);
      added = [];
      setLines(shown);
    };
    const open = (pod: Pod): (() => void) => {
      const source = pods.indexOf(pod);
      const query = { follow: "true", timestamps: "true", fold: "true", ...(everything ? {} : { tailLines: String(tailLines) }) };
      let close = () => {};
      close = openStream(logPath(ns, pod, attempt, query), [], {
        onLines: (texts) => {
          for (const text of texts) added.push(parseLine(text, source));
          timer ??= setTimeout(flush, frame);
        },
        onEnd: () => undefined,
        onReconnect: () => {
          // The stream begins anew, so what was read of it goes.
          shown = shown.filter((line) => line.source !== source);
          added = added.filter((line) => line.source !== source);
          closers.set(source, open(pod));
        },
      });
      return () => close();
    };
    const closers = new Map<number, () => void>();
    setLines([]);
    for (const pod of started) closers.set(pods.indexOf(pod), open(pod));
    return () => {
      clearTimeout(timer);
      for (const close of closers.values()) close();
    };
  }, [ns, key, attempt, everything]);
  return lines;
}
