import type { PageProps } from "../../app/pages";
import { NotFound } from "../../app/NotFound";
import { JobPage } from "./JobPage";
import { JobsPage } from "./JobsPage";

export function JobsSection({ path }: PageProps) {
  const [ns, resource, name, ...rest] = path;
  if (path.length === 0) return <JobsPage />;
  if (!ns || !resource || !name || rest.length > 0) return <NotFound />;
  return <JobPage ns={ns} resource={resource} name={name} key={path.join("/")} />;
}
