// The proof that a server is the one which made the login link: it signs a number of our choice and the origin of this page
// (src/web/console/console_pages.h). Somebody who took its port has no key; somebody at another port who asks it gets a
// signature for its origin, not for this one.

export interface Proof {
  key: string;
  signature: string;
}

const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

export const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

const ecdsa = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/** `server` is the beginning of the SHA-256 of its key, as in the link. Throws where the proof has no such form. */
export async function verifies(proof: Proof, { nonce, origin, server }: { nonce: string; origin: string; server: string }): Promise<boolean> {
  const key = bytesOf(proof.key);
  const digest = hex(new Uint8Array(await crypto.subtle.digest("SHA-256", key)));
  if (server.length < 32 || !digest.startsWith(server)) return false;
  const text = new TextEncoder().encode(`muster console\n${origin}\n${nonce}`);
  return crypto.subtle.verify(ecdsa, await crypto.subtle.importKey("raw", key, ecdsa, false, ["verify"]), bytesOf(proof.signature), text);
}
