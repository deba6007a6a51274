import { readFileSync, readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { en, zh } from ".";

const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map((match) => match[0]).sort();
const keys = Object.keys(en) as (keyof typeof en)[];

it("has the same keys in both languages", () => {
  expect(Object.keys(zh).sort()).toEqual([...keys].sort());
});

it.each(keys)("has texts with the same placeholders: %s", (key) => {
  expect(en[key].trim()).not.toBe("");
  expect(zh[key].trim()).not.toBe("");
  expect(placeholders(zh[key])).toEqual(placeholders(en[key]));
});

it("uses every key", () => {
  const sources = readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !name.startsWith("i18n") && !name.endsWith("texts.ts"))
    .map((name) => readFileSync(`src/${name}`, "utf8"))
    .join("\n");
  // Keys of states and columns are put together from a word of the API.
  const unused = keys.filter((key) => !sources.includes(`"${key}"`) && !/^(state|column|sort)\./.test(key));
  expect(unused).toEqual([]);
});
