// The pods of a job as the page shows them: those that exist, those that the server remembers, and those it has seen go.
import type { Pod } from "#types";
import { useEffect, useMemo, useState } from "preact/hooks";
import { getJson } from "../../api/client";
import { jobPath } from "../../api/paths";
import { lastOfEach, uidOf, type JobPods, type PastPod, type Shown } from "./history";

/** What the server remembers; it is asked again when `round` changes. A cluster remembers nothing. */
export function useJobPods(ns: string, resource: string, name: string, round: string): { known: JobPods | undefined; asked: boolean } {
  const [answer, setAnswer] = useState<{ known: JobPods | undefined; asked: boolean }>({ known: undefined, asked: false });
  useEffect(() => {
    let gone = false;
    getJson<JobPods>(`${jobPath(ns, resource, name)}/pods`).then(
      (known) => !gone && setAnswer({ known, asked: true }),
      () => !gone && setAnswer((before) => ({ ...before, asked: true })),
    );
    return () => {
      gone = true;
    };
  }, [ns, resource, name, round]);
  return answer;
}

/** The pods of the job that the server remembers, and those that were deleted while the page was open. */
export function useWithPast(uid: string, live: Pod[], known: JobPods | undefined): Shown {
  const seen = useMemo(() => new Map<string, Pod>(), [uid]);
  for (const pod of live) seen.set(uidOf(pod), pod);
  return useMemo(() => {
    const remembered = known?.metadata.uid === uid ? known.items.map(({ pod, hasLog }): PastPod => ({ ...pod, past: { hasLog } })) : [];
    const vanished = [...seen.values()].map((pod): PastPod => ({ ...pod, past: { hasLog: true } }));
    return lastOfEach(live, [...vanished, ...remembered]);
  }, [seen, live, known]);
}
