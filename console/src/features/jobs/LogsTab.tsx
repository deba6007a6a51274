// The output of all ranks in one list, or of one of them, of this attempt or an earlier one.
import type { Pod } from "#types";
import type { Job } from "../../api/jobs";
import { t } from "../../i18n";
import { place, setQuery } from "../../lib/router";
import { formatDuration } from "../../lib/time";
import { Select } from "../../ui/Select";
import { PodLog } from "../pods/PodLog";
import { attemptOf } from "./replicas";

const ages = ["300", "900", "3600", "21600"];

export function LogsTab({ ns, job, pods }: { ns: string; job: Job; pods: Pod[] }) {
  if (pods.length === 0) return <p class="empty">{t("replica.none")}</p>;
  const wanted = place.value.query.get("pod") ?? "";
  const chosen = pods.filter((pod) => !wanted || pod.metadata?.name === wanted);
  const attempts = Math.max(...chosen.map(attemptOf), 0);
  const given = place.value.query.get("attempt");
  const attempt = given === null ? undefined : Number(given);
  const since = place.value.query.get("since") ?? "";
  return (
    <div class="card flush">
      <div class="filters">
        <Select label={t("logs.rank")} value={wanted} onChange={(pod) => setQuery({ pod, attempt: "" })}
          options={[...(pods.length > 1 ? [{ value: "", label: t("logs.all") }] : []), ...pods.map((pod) => ({ value: pods.length > 1 ? (pod.metadata?.name ?? "") : "", label: pod.metadata?.name ?? "" }))]} />
        {attempts > 0 && (
          <Select label={t("logs.attempt")} value={given ?? String(attempts)} onChange={(value) => setQuery({ attempt: value === String(attempts) ? "" : value })}
            options={Array.from({ length: attempts + 1 }, (_, number) => ({ value: String(number), label: `${number + 1} / ${attempts + 1}` })).reverse()} />
        )}
        <Select label={t("logs.since")} value={since} onChange={(value) => setQuery({ since: value })}
          options={[{ value: "", label: t("logs.start") }, ...ages.map((value) => ({ value, label: formatDuration(Number(value) * 1000).replace(" 0 s", "").replace(" 0 m", "") }))]} />
      </div>
      <PodLog key={`${wanted}/${given}/${since}`} since={since} linked ns={ns} label={wanted || (job.metadata?.name ?? "")} pods={chosen} {...(attempt === undefined ? {} : { attempt })} />
    </div>
  );
}
