import { whenRowsAreThere } from "./app/firstRows";  // first, because its requests are the longest
import { render } from "preact";
import { lazy, Suspense } from "preact/compat";
import { useEffect } from "preact/hooks";
import { NotFound } from "./app/NotFound";
import { allPages } from "./app/pages";
import { hasLoginLink, Login, Mistrusted, takeLoginLink } from "./app/Login";
import { Shell, type Crumb } from "./app/Shell";
import { startSettings } from "./app/settings";
import { forgetOtherThan, loggedIn, mistrusted, renewLogin, shareLogin } from "./api/login";
import { closeAllStreams } from "./api/streams";
import { kinds, loadKinds, stopJobs } from "./features/jobs/live";
import { resourceName } from "./api/jobs";
import { t } from "./i18n";
import { go, hrefOf, place, startRouter, withNamespace } from "./lib/router";
import "./style.css";

const CreatePage = lazy(() => import("./features/create/CreatePage"));

function Create({ resource }: { resource: string }) {
  useEffect(() => void loadKinds().catch(() => undefined), []);
  const kind = kinds.value.find((one) => resourceName(one) === resource);
  if (!kind) return kinds.value.length > 0 ? <NotFound /> : null;
  return <Suspense fallback={null}><CreatePage kind={kind} kinds={kinds.value} /></Suspense>;
}

function Page() {
  const [section = "overview", ...path] = place.value.path;
  const jobs: Crumb = { label: t("jobs.title"), href: hrefOf(["jobs"], withNamespace()) };
  const [resource] = path;
  if (section === "create" && resource && path.length === 1) return <Shell crumbs={[jobs, { label: t("create.crumb") }]}><Create resource={resource} /></Shell>;
  const entry = allPages.find((one) => one.section === section);
  if (!entry) return <Shell crumbs={[jobs]}><NotFound /></Shell>;
  const name = path[path.length - 1];
  const list: Crumb = { label: t(entry.label), href: hrefOf([section], withNamespace()) };
  return (
    <Shell crumbs={name ? [list, { label: name }] : [{ label: list.label }]}>
      <Suspense fallback={null}><entry.page path={path} key={section} /></Suspense>
    </Shell>
  );
}

function App() {
  useEffect(() => {
    if (!loggedIn.value) return;
    link = undefined;
    isArriving = false;
  }, [loggedIn.value]);
  useEffect(() => {
    if (place.value.path.length === 0 && loggedIn.value) go(hrefOf(["overview"], withNamespace()), true);
  }, [loggedIn.value]);
  const shows = loggedIn.value && !mistrusted.value;
  useEffect(() => {
    if (shows) return;
    stopJobs();
    closeAllStreams();
  }, [shows]);
  if (shows) return <Page />;
  return mistrusted.value ? <Mistrusted /> : <Login link={link} asksTabs={isArriving} />;
}

startSettings();
startRouter();
shareLogin();
let link = takeLoginLink();
let isArriving = true;  // the page was just loaded, and has had no login yet
if (link) forgetOtherThan(link.server);
addEventListener("hashchange", () => {
  if (hasLoginLink()) location.reload();
});
if (loggedIn.value) void renewLogin();
whenRowsAreThere(() => render(<App />, document.getElementById("app") as HTMLElement));
