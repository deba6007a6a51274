// What went wrong, in the server's own words, next to what failed.
import { t } from "../i18n";
import { Button } from "./Button";

interface Problem {
  code: number;
  reason: string;
  message: string;
  causes: { field: string; message: string }[];
}

export function Failure({ error, onRetry }: { error: Problem; onRetry?: () => void }) {
  return (
    <div class="failure" role="alert">
      <p>
        <strong>{error.code === 403 ? t("error.forbidden") : error.reason === "Offline" ? t("error.offline") : error.reason}</strong>{" "}
        {error.message}
      </p>
      {error.causes.length > 0 && (
        <ul>{error.causes.map((cause) => <li key={cause.field}><code>{cause.field}</code> {cause.message}</li>)}</ul>
      )}
      {onRetry && <Button onClick={onRetry}>{t("error.retry")}</Button>}
    </div>
  );
}
