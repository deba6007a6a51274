// The pods of the job in the order of their ranks, and what each of them has to say.
import type { Pod } from "#types";
import { useState } from "preact/hooks";
import { summaryOf, type Job } from "../../api/jobs";
import { t } from "../../i18n";
import { go, hrefOf, place, setQuery, withNamespace } from "../../lib/router";
import { Conditions } from "../../ui/Conditions";
import { Dialog } from "../../ui/Dialog";
import { Menu } from "../../ui/Menu";
import { ScrollX } from "../../ui/ScrollX";
import { Select } from "../../ui/Select";
import { StateWord } from "../../ui/State";
import { Events } from "../events/EventTable";
import { ExitCode } from "../pods/ExitCode";
import { amountsOf, exitOf, podState, restartsOf } from "../pods/model";
import { podHref } from "../pods/podHref";
import { PodLog } from "../pods/PodLog";
import { cpuText, memoryText } from "./model";
import { isPast } from "./history";
import { attemptOf, decidesResult, indexOf, rankOf, roleOf } from "./replicas";
import { YamlTab } from "./YamlTab";

type Detail = "logs" | "yaml" | "conditions" | "events";

function Labels({ pod }: { pod: Pod }) {
  const shown = ["job-role", "replica-index"].flatMap((name) => {
    const value = pod.metadata?.labels?.[name] ?? pod.metadata?.labels?.[`training.kubeflow.org/${name}`];
    return value ? [`${name}: ${value}`] : [];
  });
  return <span class="labels">{shown.map((label) => <code key={label}>{label}</code>)}</span>;
}

function PodDialog({ ns, pod, detail, onClose }: { ns: string; pod: Pod; detail: Detail; onClose: () => void }) {
  const name = pod.metadata?.name ?? "";
  return (
    <Dialog title={name} onClose={onClose} wide>
      {detail === "logs" && <PodLog ns={ns} label={name} pods={[pod]} />}
      {detail === "yaml" && <YamlTab label={name} path={`/api/v1/namespaces/${encodeURIComponent(ns)}/pods/${encodeURIComponent(name)}`} revision={pod.metadata?.resourceVersion ?? ""} />}
      {detail === "conditions" && <Conditions conditions={pod.status?.conditions ?? []} />}
      {detail === "events" && <Events ns={ns} about={new Set([pod.metadata?.uid ?? ""])} name={name} />}
    </Dialog>
  );
}

export function ReplicasTab({ job, pods, path }: { job: Job; pods: Pod[]; path: string[] }) {
  const [opened, setOpened] = useState<{ name: string; detail: Detail }>();
  const ns = job.metadata?.namespace ?? "";
  const role = place.value.query.get("role") ?? "";
  const shown = pods.filter((pod) => !role || roleOf(pod).toLowerCase() === role.toLowerCase());
  const pod = pods.find((one) => one.metadata?.name === opened?.name);
  const menu = (one: Pod) => {
    const name = one.metadata?.name ?? "";
    const open = (detail: Detail) => () => setOpened({ name, detail });
    if (isPast(one)) {
      return [
        { label: t("replica.logs"), onSelect: open("logs") }, { label: t("replica.conditions"), onSelect: open("conditions") },
        { label: t("replica.events"), onSelect: open("events") },
        { label: t("replica.metrics"), onSelect: () => go(hrefOf(path, withNamespace({ tab: "metrics", pod: name }))) },
      ];
    }
    return [
      { label: t("replica.logs"), onSelect: open("logs") }, { label: t("replica.yaml"), onSelect: open("yaml") },
      { label: t("replica.conditions"), onSelect: open("conditions") }, { label: t("replica.events"), onSelect: open("events") },
      { label: t("replica.metrics"), onSelect: () => go(hrefOf(path, withNamespace({ tab: "metrics", pod: name }))) },
      { label: t("replica.terminal"), onSelect: () => go(podHref(ns, name, { tab: "terminal" })) },
    ];
  };
  return (
    <section class="card flush">
      <div class="filters">
        <Select label={t("replica.role")} value={role} onChange={(value) => setQuery({ role: value })}
          options={[{ value: "", label: t("jobs.any") }, ...summaryOf(job).roles.map((one) => ({ value: one.name, label: one.name }))]} />
      </div>
      {shown.length === 0 ? <p class="empty">{t("replica.none")}</p> : (
        <ScrollX label={t("tab.replicas")}>
          <table class="plain-table with-menu stacks">
            <thead>
              <tr>
                <th class="numeric">{t("replica.rank")}</th><th>{t("replica.name")}</th><th>{t("replica.phase")}</th><th>{t("replica.labels")}</th>
                <th class="numeric">{t("replica.attempt")}</th><th class="numeric">{t("replica.restarts")}</th><th>{t("replica.exit")}</th>
                <th class="numeric">{t("replica.cpu")}</th><th class="numeric">{t("replica.memory")}</th><th>{t("replica.node")}</th><th>{t("replica.more")}</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((one) => (
                <tr key={one.metadata?.uid}>
                  <td class="numeric" data-title={t("replica.rank")}>{rankOf(job, one)}</td>
                  <td class="object">{isPast(one) ? one.metadata?.name : <a href={podHref(ns, one.metadata?.name ?? "")}>{one.metadata?.name}</a>}{decidesResult(job, one) && <span class="mark" title={t("replica.decides")} role="img" aria-label={t("replica.decides")}>★</span>}
                    {isPast(one) && <div class="note">{t(one.past.hasLog ? "replica.past" : "replica.pastWithoutLog")}</div>}
                    {one.status?.message ? <div class="note">{one.status.message}</div> : null}</td>
                  <td><StateWord state={isPast(one) ? (one.status?.phase ?? "Pending") : podState(one)} /></td>
                  <td class="not-phone"><Labels pod={one} /></td>
                  <td class="numeric" data-title={t("replica.attempt")}>{attemptOf(one) + 1}</td>
                  <td class="numeric" data-title={t("replica.restarts")}>{restartsOf(one)}</td>
                  <td data-title={t("replica.exit")}><ExitCode exit={exitOf(one)} /></td>
                  <td class="numeric" data-title={t("replica.cpu")}>{cpuText(amountsOf(one, "cpu"))}</td>
                  <td class="numeric" data-title={t("replica.memory")}>{memoryText(amountsOf(one, "memory"))}</td>
                  <td class="object" data-title={t("replica.node")}>{one.spec?.nodeName || "-"}</td>
                  <td><Menu label={t("action.more", { name: `${roleOf(one)}-${indexOf(one)}` })} items={() => menu(one)} /></td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollX>
      )}
      {opened && pod && <PodDialog ns={ns} pod={pod} detail={opened.detail} onClose={() => setOpened(undefined)} />}
    </section>
  );
}
