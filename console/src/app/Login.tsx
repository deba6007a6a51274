// The page without a login. A one-time link carries its code after #, which no server or log ever sees.
import { useEffect, useState } from "preact/hooks";
import { ApiError, logIn } from "../api/client";
import { t } from "../i18n";
import { Failure } from "../ui/Failure";

/** Takes the code out of the address, so that it stays in no history. */
export function takeLoginCode(): string {
  const code = new URLSearchParams(location.hash.slice(1)).get("login") ?? "";
  if (code) history.replaceState(null, "", location.pathname + location.search);
  return code;
}

export function Login({ code }: { code: string }) {
  const [error, setError] = useState<ApiError>();
  const [busy, setBusy] = useState(code !== "");
  useEffect(() => {
    if (!code) return;
    logIn(code).catch((problem: unknown) => {
      setBusy(false);
      const refused = problem instanceof ApiError && problem.code === 401;
      setError(refused ? new ApiError({ message: t("login.used") }) : problem instanceof ApiError ? problem : new ApiError({ reason: "Offline" }));
    });
  }, [code]);
  return (
    <main class="login" id="content">
      <h1>{t("login.title")}</h1>
      {busy ? <p role="status">{t("login.progress")}</p> : (
        <>
          {error ? <Failure error={error} /> : <p>{t("login.expired")}</p>}
          <p>{t("login.how")}</p>
          <pre class="command">muster console</pre>
        </>
      )}
    </main>
  );
}
