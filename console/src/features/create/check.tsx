// What the server would say to a text, while it is typed.
import { useEffect, useState } from "preact/hooks";
import { asApiError } from "../../api/client";
import { t } from "../../i18n";
import { problemsOf, type TextProblem } from "./submit";

const askAfter = 400;

export interface Check {
  problems: TextProblem[];
  accepted: boolean;
}

/** Asks by a dry run, a moment after the last key. */
export function useCheck(text: string, dryRun: (text: string) => Promise<unknown>): Check {
  const [check, setCheck] = useState<Check>({ problems: [], accepted: false });
  useEffect(() => {
    let stale = false;
    setCheck((before) => ({ ...before, accepted: false }));
    const timer = setTimeout(() => {
      dryRun(text).then(
        () => !stale && setCheck({ problems: [], accepted: true }),
        (problem: unknown) => !stale && setCheck({ problems: problemsOf(asApiError(problem), text), accepted: false }),
      );
    }, askAfter);
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  }, [text]);
  return check;
}

export function CheckResult({ check: { problems, accepted } }: { check: Check }) {
  const where = ({ line, column }: TextProblem) => (column === undefined ? t("create.line", { line }) : t("create.place", { line, column }));
  return (
    <div class="lint" role="status" aria-label={t("create.check")}>
      {accepted && <p class="good">✓ {t("create.valid")}</p>}
      {problems.map((problem) => <p class="bad" key={problem.message}><span>{where(problem)}</span> {problem.message}</p>)}
    </div>
  );
}
