// A shell in a container. It is loaded when it is first needed.
import { FitAddon } from "@xterm/addon-fit";
import { Terminal as Screen } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";
import { useEffect, useRef, useState } from "preact/hooks";
import { openExec, type ExecSession } from "../../api/exec";
import { theme } from "../../app/settings";
import { t } from "../../i18n";
import { execPath, type ExecEnd } from "../../lib/exec";
import { Button } from "../../ui/Button";
import { allowStyles } from "./allowedStyles";

interface TerminalProps {
  ns: string;
  pod: string;
  container: string;
  shell: string;
}

function endText(end: ExecEnd): string {
  if (end.how === "exited") return t("terminal.exited", { code: end.code });
  return end.how === "lost" ? t("terminal.lost") : end.message;
}

/** The colours of the page, which are computed from variables. */
function coloursOf(box: HTMLElement) {
  const { color, backgroundColor } = getComputedStyle(box);
  return { foreground: color, background: backgroundColor, cursor: color, cursorAccent: backgroundColor, selectionBackground: theme.value === "dark" ? "#3d5273" : "#b9d2ff" };
}

export default function Terminal({ ns, pod, container, shell }: TerminalProps) {
  const box = useRef<HTMLDivElement>(null);
  const screen = useRef<Screen>();
  const session = useRef<ExecSession>();
  const [end, setEnd] = useState<ExecEnd>();
  const [round, setRound] = useState(0);

  useEffect(() => {
    if (!box.current) return undefined;
    const forbidStyles = allowStyles();
    const made = new Screen({
      fontFamily: getComputedStyle(box.current).fontFamily, fontSize: 13, cursorBlink: false,
      minimumContrastRatio: 4.5, scrollback: 10_000, theme: coloursOf(box.current),
    });
    const fit = new FitAddon();
    made.loadAddon(fit);
    made.open(box.current);
    made.onData((text) => session.current?.write(text));
    made.onResize(({ cols, rows }) => session.current?.resize(cols, rows));
    const observer = new ResizeObserver(() => fit.fit());
    observer.observe(box.current);
    screen.current = made;
    return () => {
      observer.disconnect();
      made.dispose();
      forbidStyles();
    };
  }, []);

  useEffect(() => {
    const made = screen.current;
    if (!made) return undefined;
    setEnd(undefined);
    const opened = openExec(execPath(ns, pod, container, [shell]), {
      onOpen: () => {
        opened.resize(made.cols, made.rows);
        made.focus();
      },
      onOutput: (bytes) => made.write(bytes),
      onEnd: setEnd,
    });
    session.current = opened;
    return () => opened.close();
  }, [round]);

  useEffect(() => {
    if (screen.current && box.current) screen.current.options.theme = coloursOf(box.current);
  }, [theme.value]);

  const again = () => {
    screen.current?.reset();
    setRound(round + 1);
  };
  return (
    <>
      {end && <p class="notice" role="status">{endText(end)} <Button onClick={again}>{t(end.how === "lost" ? "terminal.reconnect" : "terminal.again")}</Button></p>}
      <div class="shell" role="group" aria-label={t("terminal.label", { name: pod })} ref={box} />
    </>
  );
}
