// The login of this browser. Nobody gets its token but through `bearer`, which waits until the server has proved that it is
// the one that the login is for: after a crash of the engine another program can hold its port.
import { signal } from "@preact/signals";
import { hex, verifies, type Proof } from "../lib/proof";
import { ApiError, errorOf, offline } from "./errors";

interface Login {
  token: string;
  server: string;  // the beginning of the SHA-256 of its key
}

interface Session {
  token: string;
  expires: string;
}

type Message = { ask: string } | { give: string; login: Login } | { end: true };

// Over plain HTTP the login ends with the last tab: another program may have the port when the browser starts again. A cookie
// would be sent to other ports of this machine.
const storeKey = "muster-login";
const store = () => (globalThis.location?.protocol === "https:" ? localStorage : sessionStorage);
const patience = 1000;  // milliseconds until another tab has answered
const sessionPath = "/apis/muster.dev/v1/console/session";

let held = JSON.parse(store().getItem(storeKey) || "null") as Login | null;
let proof: Promise<void> | undefined;
let renewal: ReturnType<typeof setTimeout> | undefined;
let tabs: BroadcastChannel | undefined;

export const loggedIn = signal(held !== null);
/** Something else than the server of this login answers at its address. */
export const mistrusted = signal(false);
/** The login ended here, and the server could not be told. */
export const endedUntold = signal(false);

function keep(login: Login): void {
  held = login;
  store().setItem(storeKey, JSON.stringify(login));
  loggedIn.value = true;
}

/** The server refused the token, or a person logged out. */
export function forget(): void {
  clearTimeout(renewal);
  held = null;
  proof = undefined;
  store().removeItem(storeKey);
  mistrusted.value = false;
  loggedIn.value = false;
}

/** A link of another server replaces the login. */
export function forgetOtherThan(server: string): void {
  if (held && held.server !== server) forget();
}

async function prove(server: string): Promise<void> {
  const nonce = hex(crypto.getRandomValues(new Uint8Array(32)));
  const options: RequestInit = { cache: "no-store", credentials: "omit", redirect: "error" };
  const response = await fetch(`/console/proof?nonce=${nonce}`, options).catch(() => Promise.reject(offline()));
  if (response.status >= 500) throw offline();  // it is starting
  const asked = { nonce, origin: location.origin, server };
  const proved = response.ok && await response.json().then((given: Proof) => verifies(given, asked)).catch(() => false);
  if (!proved) throw new ApiError({ message: "", reason: "Mistrusted" });
}

function ask(server: string): Promise<void> {
  const asked = prove(server);
  proof = asked;
  asked.then(
    () => {
      if (proof === asked) mistrusted.value = false;
    },
    (problem: ApiError) => {
      if (proof !== asked) return;
      proof = undefined;
      if (problem.reason === "Mistrusted") mistrusted.value = true;
    },
  );
  return asked;
}

/** A connection broke: whoever answers next must prove again who it is. */
export function distrust(): void {
  proof = undefined;
}

/** Returns the token for the next request. */
export async function bearer(): Promise<string> {
  while (held) {
    const asked = proof ?? ask(held.server);
    await asked;
    if (held && proof === asked) return held.token;
  }
  throw new ApiError({ reason: "Unauthorized" }, 401);
}

/** Asks for another token when half of this one's life is over. */
function keepSession(session: Session, server: string): void {
  keep({ token: session.token, server });
  clearTimeout(renewal);
  renewal = setTimeout(() => void renewLogin(), (Date.parse(session.expires) - Date.now()) / 2);
}

/** Sends a request with a login that may not be the one that is held (any more). */
async function sendAs(token: string, method: string, path: string): Promise<Response> {
  const response = await fetch(path, { method, headers: { Authorization: `Bearer ${token}` } }).catch(() => Promise.reject(offline()));
  if (!response.ok) throw await errorOf(response);
  return response;
}

/** Trades the code of a one-time link for a token. */
export async function logIn({ code, server }: { code: string; server: string }): Promise<void> {
  await prove(server);
  keepSession((await (await sendAs(code, "POST", "/console/login")).json()) as Session, server);
}

export async function renewLogin(): Promise<void> {
  try {
    const token = await bearer();
    const session = (await (await sendAs(token, "POST", sessionPath)).json()) as Session;
    if (held) keepSession(session, held.server);
  } catch (problem) {
    if ((problem as ApiError).code === 401) forget();
    else distrust();
  }
}

async function end(): Promise<void> {
  if (!held) return;
  const { token, server } = held;
  forget();
  const told = await prove(server).then(() => sendAs(token, "DELETE", sessionPath)).catch((problem: ApiError) => problem);
  endedUntold.value = told instanceof ApiError && told.code !== 401;  // 401: another tab was faster
}

/** Ends the login in every tab. */
export async function logOut(): Promise<void> {
  tabs?.postMessage({ end: true } satisfies Message);
  await end();
}

/** Gives the login to other tabs of this browser, after a new proof. */
export function shareLogin(): void {
  tabs = new BroadcastChannel(storeKey);
  tabs.addEventListener("message", ({ data }: MessageEvent<Message>) => {
    if ("end" in data) void end();
    if (!("ask" in data) || !held) return;
    distrust();
    bearer().then(() => held && tabs?.postMessage({ give: data.ask, login: held } satisfies Message), () => undefined);
  });
}

/** Takes the login of another tab, if there is one, once the server has proved to this tab as well who it is. */
export async function askOtherTabs(): Promise<void> {
  const id = crypto.randomUUID();
  const given = await new Promise<Login | undefined>((resolve) => {
    tabs?.addEventListener("message", ({ data }: MessageEvent<Message>) => {
      if ("give" in data && data.give === id) resolve(data.login);
    });
    tabs?.postMessage({ ask: id } satisfies Message);
    setTimeout(resolve, patience);
  });
  if (!given || held) return;
  await prove(given.server);
  keep(given);
  await renewLogin();
}
