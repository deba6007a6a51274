import type { ConfigMap, Secret } from "#types";
import { expect, it } from "vitest";
import { decodeText, encodeText, entriesOf, repeatedKey, sizeOf, withEntries } from "./model";

const secret: Secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, type: "Opaque", data: { word: encodeText("héllo\n"), blob: "/wD+" } };
const map: ConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "m" }, data: { a: "1" }, binaryData: { z: "/w==" } };

it("tells text from what is none", () => {
  expect(decodeText(encodeText("密码 é"))).toBe("密码 é");
  expect(decodeText("/wD+")).toBeUndefined();
  expect(decodeText(btoa("a\0b"))).toBeUndefined();
  expect(decodeText("")).toBe("");
});

it("reads the values of both kinds", () => {
  expect(entriesOf(secret).map((one) => [one.key, one.text, sizeOf(one)])).toEqual([["blob", undefined, 3], ["word", "héllo\n", 7]]);
  expect(entriesOf(map).map((one) => [one.key, one.text])).toEqual([["a", "1"], ["z", undefined]]);
});

it("puts them back without loss", () => {
  expect(withEntries(secret, entriesOf(secret))).toEqual(secret);
  expect(withEntries(map, entriesOf(map))).toEqual(map);
  expect(withEntries(secret, [{ key: "new", text: "x", base64: "", isNew: true }]).data).toEqual({ new: "eA==" });
});

it("notices a key that is there twice", () => {
  expect(repeatedKey([...entriesOf(map), { key: "a", text: "2", base64: "", isNew: true }])).toBe("a");
  expect(repeatedKey(entriesOf(map))).toBeUndefined();
});
