import { render } from "preact";
import { lazy, Suspense } from "preact/compat";
import { useEffect } from "preact/hooks";
import { Login, takeLoginCode } from "./app/Login";
import { Shell, type Crumb } from "./app/Shell";
import { startSettings } from "./app/settings";
import { renewLogin, token } from "./api/client";
import { closeAllStreams } from "./api/streams";
import { JobPage } from "./features/jobs/JobPage";
import { JobsPage } from "./features/jobs/JobsPage";
import { kinds, loadKinds, stopJobs } from "./features/jobs/live";
import { resourceName } from "./api/jobs";
import { t } from "./i18n";
import { go, hrefOf, place, startRouter, withNamespace } from "./lib/router";
import "./style.css";

function NotFound() {
  return (
    <div class="empty">
      <h1>{t("error.notFound")}</h1>
      <p><a href={hrefOf(["jobs"])}>{t("error.toJobs")}</a></p>
    </div>
  );
}

const CreatePage = lazy(() => import("./features/create/CreatePage"));

function Create({ resource }: { resource: string }) {
  useEffect(() => void loadKinds().catch(() => undefined), []);
  const kind = kinds.value.find((one) => resourceName(one) === resource);
  if (!kind) return kinds.value.length > 0 ? <NotFound /> : null;
  return <Suspense fallback={null}><CreatePage kind={kind} kinds={kinds.value} /></Suspense>;
}

function Page() {
  const [section = "jobs", ns, resource, name, ...rest] = place.value.path;
  const jobs: Crumb = { label: t("jobs.title"), href: hrefOf(["jobs"], withNamespace()) };
  if (section === "create" && ns && !resource) return <Shell crumbs={[jobs, { label: t("create.crumb") }]}><Create resource={ns} /></Shell>;
  if (section !== "jobs" || rest.length > 0 || (ns && !name)) return <Shell crumbs={[jobs]}><NotFound /></Shell>;
  if (!ns || !resource || !name) return <Shell crumbs={[{ label: jobs.label }]}><JobsPage /></Shell>;
  return <Shell crumbs={[jobs, { label: name }]}><JobPage ns={ns} resource={resource} name={name} key={`${ns}/${resource}/${name}`} /></Shell>;
}

function App() {
  useEffect(() => {
    if (place.value.path.length === 0 && token.value) go(hrefOf(["jobs"], withNamespace()), true);
  }, [token.value]);
  useEffect(() => {
    if (token.value) return;
    stopJobs();
    closeAllStreams();
  }, [token.value]);
  return token.value ? <Page /> : <Login code={code} />;
}

startSettings();
startRouter();
const code = takeLoginCode();
if (token.value) void renewLogin().catch(() => undefined);
render(<App />, document.getElementById("app") as HTMLElement);
