import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./Icon";

interface ButtonProps {
  children: ComponentChildren;
  onClick: () => void;
  kind?: "plain" | "primary" | "danger";
  disabled?: boolean;
}

export function Button({ children, onClick, kind = "plain", disabled = false }: ButtonProps) {
  return <button type="button" class={`button ${kind}`} disabled={disabled} onClick={onClick}>{children}</button>;
}

interface IconButtonProps {
  icon: IconName;
  label: string;
  onClick: () => void;
  disabled?: boolean;
  pressed?: boolean;
}

export function IconButton({ icon, label, onClick, disabled = false, pressed }: IconButtonProps) {
  return (
    <button type="button" class="icon-button" title={label} aria-label={label} disabled={disabled} onClick={onClick}
      {...(pressed === undefined ? {} : { "aria-pressed": pressed })}>
      <Icon name={icon} />
    </button>
  );
}
