// The pages without a login. A one-time link carries its code after #, which no server or log ever sees.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ApiError, asApiError } from "../api/errors";
import { askOtherTabs, bearer, endedUntold, logIn } from "../api/login";
import { t } from "../i18n";
import { Failure } from "../ui/Failure";

export interface LoginLink {
  code: string;
  server: string;
}

export const hasLoginLink = () => location.hash.startsWith("#login=");

/** Takes the code out of the address, so that it stays in no history. */
export function takeLoginLink(): LoginLink | undefined {
  const given = new URLSearchParams(location.hash.slice(1));
  const code = given.get("login");
  if (!code) return undefined;
  history.replaceState(null, "", location.pathname + location.search);
  return { code, server: given.get("server") ?? "" };
}

function wordsFor(problem: unknown): ApiError {
  const error = asApiError(problem);
  if (error.code === 401) return new ApiError({ message: t("login.used") });
  return error.reason === "Mistrusted" ? new ApiError({ message: `${t("login.mistrusted")}. ${t("login.mistrusted.why")}` }) : error;
}

function Notice({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <main class="login" id="content">
      <h1>{title}</h1>
      {children}
      <pre class="command">muster console</pre>
    </main>
  );
}

export function Login({ link, asksTabs }: { link: LoginLink | undefined; asksTabs: boolean }) {
  const [error, setError] = useState<ApiError>();
  const [busy, setBusy] = useState(isSecureContext && asksTabs);
  useEffect(() => {
    if (!busy) return;
    const logging = link ? logIn(link) : askOtherTabs();
    logging.catch((problem: unknown) => setError(wordsFor(problem))).finally(() => setBusy(false));
  }, []);
  if (!isSecureContext) return <Notice title={t("login.title")}><p>{t("login.insecure")}</p></Notice>;
  if (busy) return <main class="login" id="content"><h1>{t("login.title")}</h1><p role="status">{t("login.progress")}</p></main>;
  return (
    <Notice title={t("login.title")}>
      {error ? <Failure error={error} /> : <p>{t(endedUntold.value ? "login.untold" : "login.expired")}</p>}
      <p>{t("login.how")}</p>
    </Notice>
  );
}

const checkEvery = 3000;  // milliseconds

/** Another program answers. The login stays in this tab until the right server is back. */
export function Mistrusted() {
  useEffect(() => {
    const timer = setInterval(() => void bearer().catch(() => undefined), checkEvery);
    return () => clearInterval(timer);
  }, []);
  return (
    <Notice title={t("login.mistrusted")}>
      <p role="alert">{t("login.mistrusted.why")}</p>
      <p>{t("login.mistrusted.next")}</p>
    </Notice>
  );
}
