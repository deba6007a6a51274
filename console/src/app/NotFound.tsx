import { t } from "../i18n";
import { hrefOf } from "../lib/router";

export function NotFound() {
  return (
    <div class="empty">
      <h1>{t("error.notFound")}</h1>
      <p><a href={hrefOf(["jobs"])}>{t("error.toJobs")}</a></p>
    </div>
  );
}
