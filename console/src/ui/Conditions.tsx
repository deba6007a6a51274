// The conditions of an object, the one that changed last first.
import type { Condition } from "#types";
import { t } from "../i18n";
import { formatTime } from "../lib/time";
import { ScrollX } from "./ScrollX";

const newestFirst = (a = "", b = "") => (a < b ? 1 : a > b ? -1 : 0);

export function Conditions({ conditions }: { conditions: Condition[] }) {
  if (conditions.length === 0) return <p class="quiet">{t("job.noConditions")}</p>;
  const sorted = [...conditions].sort((a, b) => newestFirst(a.lastTransitionTime, b.lastTransitionTime));
  return (
    <ScrollX label={t("job.conditions")}>
      <table class="plain-table stacks">
        <thead><tr><th>{t("condition.type")}</th><th>{t("condition.status")}</th><th>{t("condition.changed")}</th><th>{t("condition.reason")}</th><th>{t("condition.message")}</th></tr></thead>
        <tbody>
          {sorted.map((one) => (
            <tr key={one.type}><td>{one.type}</td><td>{one.status}</td><td class="time" data-title={t("condition.changed")}>{formatTime(one.lastTransitionTime)}</td><td class={one.reason ? "" : "not-phone"}>{one.reason || "-"}</td><td class="message">{one.message}</td></tr>
          ))}
        </tbody>
      </table>
    </ScrollX>
  );
}
