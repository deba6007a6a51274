import { t, type Key } from "../i18n";
import { Dialog } from "../ui/Dialog";

const shortcuts: [string, Key][] = [["/", "help.filter"], [":", "help.palette"], ["j k", "help.move"], ["x", "help.choose"], ["Enter", "help.open"], ["?", "help.help"], ["Esc", "help.close"]];

export function Help({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={t("help.title")} onClose={onClose}>
      <dl class="shortcuts">
        {shortcuts.map(([keys, what]) => (
          <div key={keys}><dt>{keys.split(" ").map((key) => <kbd key={key}>{key}</kbd>)}</dt><dd>{t(what)}</dd></div>
        ))}
      </dl>
    </Dialog>
  );
}
