// t("jobs.range", {from: 1, to: 10, total: 42}) in the chosen language; whoever calls it while rendering follows a change.
import { signal } from "@preact/signals";
import * as config from "../features/config/texts";
import * as create from "../features/create/texts";
import * as events from "../features/events/texts";
import * as nodes from "../features/nodes/texts";
import * as overview from "../features/overview/texts";
import * as pods from "../features/pods/texts";
import * as queues from "../features/queues/texts";
import * as served from "../features/served/texts";
import * as volumes from "../features/volumes/texts";
import { en as commonEn } from "./en";
import { zh as commonZh } from "./zh";

// The texts of a feature are in its folder; both languages of each have the same keys, which the compiler and a test compare.
export const en = {
  ...commonEn, ...config.en, ...create.en, ...events.en, ...nodes.en, ...overview.en, ...pods.en, ...queues.en, ...served.en, ...volumes.en,
} as const;
export const zh: Record<keyof typeof en, string> = {
  ...commonZh, ...config.zh, ...create.zh, ...events.zh, ...nodes.zh, ...overview.zh, ...pods.zh, ...queues.zh, ...served.zh, ...volumes.zh,
};

export type Key = keyof typeof en;
export type Language = "en" | "zh";

const language = signal<Language>("en");

export function setLanguage(value: Language): void {
  language.value = value;
}

export function t(key: Key, values: Record<string, string | number> = {}): string {
  const text: string = (language.value === "zh" ? zh : en)[key];
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
