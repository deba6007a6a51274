import { beforeAll, describe, expect, it } from "vitest";
import { hex, verifies, type Proof } from "./proof";

const ecdsa = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const origin = "http://127.0.0.1:8765";
const base64 = (bytes: ArrayBuffer) => btoa(String.fromCharCode(...new Uint8Array(bytes)));

let pair: CryptoKeyPair;
let server: string;
let key: string;

async function proofOf(text: string): Promise<Proof> {
  return { key, signature: base64(await crypto.subtle.sign(ecdsa, pair.privateKey, new TextEncoder().encode(text))) };
}

beforeAll(async () => {
  pair = await crypto.subtle.generateKey(ecdsa, true, ["sign", "verify"]);
  const raw = await crypto.subtle.exportKey("raw", pair.publicKey);
  key = base64(raw);
  server = hex(new Uint8Array(await crypto.subtle.digest("SHA-256", raw))).slice(0, 32);
});

describe("the proof of a server", () => {
  it("is its signature of the number and of this origin", async () => {
    expect(await verifies(await proofOf(`muster console\n${origin}\n12`), { nonce: "12", origin, server })).toBe(true);
  });

  it("is not for another number, another origin or by another key", async () => {
    const proof = await proofOf(`muster console\n${origin}\n12`);
    expect(await verifies(proof, { nonce: "13", origin, server })).toBe(false);
    expect(await verifies(proof, { nonce: "12", origin: "http://127.0.0.1:9999", server })).toBe(false);
    expect(await verifies(proof, { nonce: "12", origin, server: "0".repeat(32) })).toBe(false);
  });

  it("is never accepted for a key that the link did not name", async () => {
    expect(await verifies(await proofOf(`muster console\n${origin}\n12`), { nonce: "12", origin, server: "" })).toBe(false);
  });

  it("has a form", async () => {
    await expect(verifies({ key: "", signature: "" }, { nonce: "12", origin, server })).resolves.toBe(false);
    await expect(verifies({ key, signature: "?" }, { nonce: "12", origin, server })).rejects.toThrow();
  });
});
