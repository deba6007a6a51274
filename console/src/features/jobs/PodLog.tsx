import type { Pod } from "#types";
import { useState } from "preact/hooks";
import { send } from "../../api/client";
import { t } from "../../i18n";
import { saveAs } from "../../lib/saveAs";
import { Button } from "../../ui/Button";
import { LogView } from "../../ui/LogView";
import { toastFailure } from "../../ui/toast";
import { indexOf, roleOf } from "./replicas";
import { hasStarted, logPath, tailLines, usePodLogs } from "./usePodLogs";

interface PodLogProps {
  ns: string;
  label: string;
  pods: Pod[];
  attempt?: number;
}

async function download(ns: string, pods: Pod[], attempt: number | undefined): Promise<void> {
  for (const pod of pods) {
    saveAs(await (await send("GET", logPath(ns, pod, attempt, {}))).blob(), `${pod.metadata?.name}.log`);
  }
}

export function PodLog({ ns, label, pods, attempt }: PodLogProps) {
  const [everything, setEverything] = useState(false);
  const lines = usePodLogs(ns, pods, attempt, everything);
  const sources = pods.map((pod) => (roleOf(pod) ? `${roleOf(pod)}-${indexOf(pod)}` : (pod.metadata?.name ?? "")));
  return (
    <>
      {!everything && lines.length >= tailLines && (
        <p class="notice">{t("logs.tail", { count: lines.length })} <Button onClick={() => setEverything(true)}>{t("logs.everything")}</Button></p>
      )}
      <LogView label={t("logs.label", { name: label })} lines={lines} sources={sources} waiting={attempt === undefined && !pods.some(hasStarted)}
        onDownload={() => void toastFailure(download(ns, pods, attempt))} />
    </>
  );
}
