import type { ContainerStateTerminated } from "#types";
import { t } from "../../i18n";

export function ExitCode({ exit }: { exit: ContainerStateTerminated | undefined }) {
  if (!exit) return <>-</>;
  const why = exit.signal ? t("replica.signal", { signal: exit.signal }) : (exit.reason ?? "");
  return <span title={exit.message || why}>{exit.exitCode}{exit.signal ? ` (${why})` : ""}</span>;
}
