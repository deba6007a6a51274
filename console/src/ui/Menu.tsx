// A menu in a native popover: it closes by Escape or a click elsewhere, and the focus returns to its button.
// Its items are made when it opens: a table has a menu in every row.
import { useId, useRef, useState } from "preact/hooks";
import { Icon } from "./Icon";

export interface MenuItem {
  label: string;
  onSelect: () => void;
  danger?: boolean;
}

export function Menu({ label, items }: { label: string; items: () => MenuItem[] }) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const onToggle = () => {
    const open = list.current?.matches(":popover-open");
    if (!open || !button.current || !list.current) return;
    const at = button.current.getBoundingClientRect();
    const box = list.current.getBoundingClientRect();
    const below = at.bottom + box.height < innerHeight;
    list.current.style.top = `${below ? at.bottom : Math.max(0, at.top - box.height)}px`;
    list.current.style.left = `${Math.max(4, at.right - box.width)}px`;
    list.current.querySelector("button")?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (!step || !list.current) return;
    event.preventDefault();
    const all = [...list.current.querySelectorAll("button")];
    const next = all.indexOf(document.activeElement as HTMLButtonElement) + step;
    all[(next + all.length) % all.length]?.focus();
  };
  return (
    <>
      <button ref={button} type="button" class="icon-button" aria-label={label} title={label} aria-haspopup="menu" popovertarget={id}>
        <Icon name="more" />
      </button>
      <div ref={list} id={id} popover="auto" class="menu" role="menu" aria-label={label}
        onBeforeToggle={(event) => setOpen(event.newState === "open")} onToggle={onToggle} onKeyDown={onKeyDown}>
        {isOpen && items().map((item) => (
          <button type="button" role="menuitem" class={item.danger ? "danger" : ""} key={item.label}
            onClick={() => {
              list.current?.hidePopover();
              item.onSelect();
            }}>
            {item.label}
          </button>
        ))}
      </div>
    </>
  );
}
