// Language and theme: chosen by the user, else as the browser has them.
import { effect, signal } from "@preact/signals";
import { setLanguage, type Language } from "../i18n";

export type Theme = "light" | "dark";
const dark = matchMedia("(prefers-color-scheme: dark)");

function stored<T extends string>(name: string, allowed: readonly T[], otherwise: T): T {
  const value = localStorage.getItem(name) as T | null;
  return value && allowed.includes(value) ? value : otherwise;
}

export const theme = signal<Theme>(stored("muster-theme", ["light", "dark"], dark.matches ? "dark" : "light"));
export const language = signal<Language>(stored("muster-language", ["en", "zh"], navigator.language.startsWith("zh") ? "zh" : "en"));

export function chooseTheme(value: Theme): void {
  theme.value = value;
  localStorage.setItem("muster-theme", value);
}

export function chooseLanguage(value: Language): void {
  language.value = value;
  localStorage.setItem("muster-language", value);
}

export function startSettings(): void {
  effect(() => {
    document.documentElement.dataset.theme = theme.value;
  });
  effect(() => {
    setLanguage(language.value);
    document.documentElement.lang = language.value === "zh" ? "zh-CN" : "en";
  });
}
