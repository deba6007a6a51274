// The log of one pod or of several: at first its end, and more of it on demand.
import type { Pod } from "#types";
import { useEffect, useState } from "preact/hooks";
import { send } from "../../api/client";
import { t } from "../../i18n";
import { linkIn, secondOf } from "../../lib/logs";
import { saveAs } from "../../lib/saveAs";
import { Button } from "../../ui/Button";
import { LogView } from "../../ui/LogView";
import { toastFailure } from "../../ui/toast";
import { indexOf, roleOf } from "../jobs/replicas";
import { hasStarted, logPath, usePodLogs } from "./usePodLogs";

interface PodLogProps {
  ns: string;
  label: string;
  pods: Pod[];
  attempt?: number;
  /** Only what is younger than these seconds. */
  since?: string;
  /** Whether the address may name a line. */
  linked?: boolean;
}

// How many lines of the end are read: at first, and each time more are wanted. What goes beyond is for the download.
const tails = [5_000, 50_000, 500_000];
// From the line of a link on, this much is read.
const linkedBytes = "20000000";

async function download(ns: string, pods: Pod[], attempt: number | undefined): Promise<void> {
  for (const pod of pods) {
    saveAs(await (await send("GET", logPath(ns, pod, attempt, {}))).blob(), `${pod.metadata?.name}.log`);
  }
}

/** The line that the address names; it changes with the address. */
function useLineLink(linked: boolean) {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const onChange = () => setHash(location.hash);
    addEventListener("hashchange", onChange);
    return () => removeEventListener("hashchange", onChange);
  }, []);
  return linked ? linkIn(hash) : undefined;
}

export function PodLog({ ns, label, pods, attempt, since = "", linked = false }: PodLogProps) {
  const [step, setStep] = useState(0);
  const link = useLineLink(linked);
  // A link is followed once: what is clicked later is there already.
  const [opened, setOpened] = useState(link);
  const tail = tails[step] ?? 0;
  const range: Record<string, string> = opened ? { sinceTime: secondOf(opened.id), limitBytes: linkedBytes } : since ? { sinceSeconds: since } : { tailLines: String(tail) };
  const { lines, unfinished } = usePodLogs(ns, pods, attempt, range);
  const sources = pods.map((pod) => (roleOf(pod) ? `${roleOf(pod)}-${indexOf(pod)}` : (pod.metadata?.name ?? "")));
  const toTheEnd = () => {
    history.replaceState(null, "", location.pathname + location.search);
    setOpened(undefined);
  };
  return (
    <>
      {opened && <p class="notice">{t("logs.fromLink")} <Button onClick={toTheEnd}>{t("logs.toTheEnd")}</Button></p>}
      {!opened && !since && lines.length >= tail && (
        <p class="notice">
          {t("logs.tail", { count: lines.length })}{" "}
          {step + 1 < tails.length ? <Button onClick={() => setStep(step + 1)}>{t("logs.earlier")}</Button> : t("logs.downloadRest")}
        </p>
      )}
      <LogView label={t("logs.label", { name: label })} lines={lines} unfinished={unfinished} sources={sources} waiting={attempt === undefined && !pods.some(hasStarted)} linked={linked} link={link}
        onDownload={() => void toastFailure(download(ns, pods, attempt))} />
    </>
  );
}
