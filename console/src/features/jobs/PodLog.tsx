import type { Pod } from "#types";
import { useState } from "preact/hooks";
import { send } from "../../api/client";
import { t } from "../../i18n";
import { Button } from "../../ui/Button";
import { LogView } from "../../ui/LogView";
import { showToast } from "../../ui/toast";
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
    const text = await (await send("GET", logPath(ns, pod, attempt, {}))).blob();
    const link = document.createElement("a");
    link.href = URL.createObjectURL(text);
    link.download = `${pod.metadata?.name}.log`;
    link.click();
    URL.revokeObjectURL(link.href);
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
        onDownload={() => void download(ns, pods, attempt).catch((error: unknown) => showToast(String(error)))} />
    </>
  );
}
