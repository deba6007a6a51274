// What the server would say to a text, while it is typed.
import { useEffect, useState } from "preact/hooks";
import { asApiError, type ApiError } from "../../api/client";
import { connection } from "../../api/streams";
import { t } from "../../i18n";
import { problemsOf, warningsIn, type TextProblem } from "./submit";

const askAfter = 400;

export interface Check {
  problems: TextProblem[];
  accepted: boolean;
  warnings: string[];
}

const nothing: Check = { problems: [], accepted: false, warnings: [] };

/** A server that cannot be reached says nothing about the text. */
const answerOf = (error: ApiError, text: string): Check => (error.reason === "Offline" ? nothing : { ...nothing, problems: problemsOf(error, text) });

/** Asks by a dry run, a moment after the last key, and again when the server is back. */
export function useCheck(text: string, dryRun: (text: string) => Promise<Response>): Check {
  const [check, setCheck] = useState(nothing);
  const isLost = connection.value.state === "waiting";
  useEffect(() => {
    let stale = false;
    setCheck((before) => ({ ...before, accepted: false }));
    const timer = setTimeout(() => {
      dryRun(text).then(
        (answer) => !stale && setCheck({ ...nothing, accepted: true, warnings: warningsIn(answer.headers.get("Warning")) }),
        (problem: unknown) => !stale && setCheck(answerOf(asApiError(problem), text)),
      );
    }, askAfter);
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  }, [text, isLost]);
  return check;
}

export function CheckResult({ check: { problems, accepted, warnings } }: { check: Check }) {
  const where = ({ line, column }: TextProblem) => (column === undefined ? t("create.line", { line }) : t("create.place", { line, column }));
  return (
    <div class="lint" role="status" aria-label={t("create.check")}>
      {accepted && <p class="good">✓ {t("create.valid")}</p>}
      {warnings.map((warning) => <p class="warn" key={warning}>{warning}</p>)}
      {problems.map((problem) => <p class="bad" key={problem.message}><span>{where(problem)}</span> {problem.message}</p>)}
    </div>
  );
}
