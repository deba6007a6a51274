// The pages of the console, in the order of the navigation. The address is /console/SECTION/…; all but the jobs are loaded when they are
// first opened.
import type { ComponentType } from "preact";
import { lazy } from "preact/compat";
import { JobsSection } from "../features/jobs/JobsSection";
import type { Key } from "../i18n";
import type { IconName } from "../ui/Icon";

export interface PageProps {
  /** What follows the section in the address: nothing for the list, else the object's namespace and name, or its name. */
  path: string[];
}

interface PageEntry {
  section: string;
  label: Key;
  icon: IconName;
  page: ComponentType<PageProps>;
}

interface PageGroup {
  label?: Key;
  pages: PageEntry[];
}

export const pageGroups: PageGroup[] = [
  { pages: [{ section: "overview", label: "overview.title", icon: "overview", page: lazy(() => import("../features/overview/OverviewPage")) }] },
  {
    label: "nav.build",
    pages: [
      { section: "notebooks", label: "notebooks.title", icon: "notebooks", page: lazy(() => import("../features/served/NotebooksPage")) },
      { section: "jobs", label: "jobs.title", icon: "jobs", page: JobsSection },
      { section: "tensorboards", label: "boards.title", icon: "boards", page: lazy(() => import("../features/served/BoardsPage")) },
      { section: "pods", label: "pods.title", icon: "pods", page: lazy(() => import("../features/pods/PodsPage")) },
    ],
  },
  { label: "nav.storage", pages: [{ section: "volumes", label: "volumes.title", icon: "volumes", page: lazy(() => import("../features/volumes/VolumesSection")) }] },
  {
    label: "nav.auxiliary",
    pages: [
      { section: "secrets", label: "secrets.title", icon: "secrets", page: lazy(async () => ({ default: (await import("../features/config/ConfigPage")).SecretsPage })) },
      { section: "configmaps", label: "configmaps.title", icon: "configmaps", page: lazy(async () => ({ default: (await import("../features/config/ConfigPage")).ConfigMapsPage })) },
    ],
  },
  {
    label: "nav.run",
    pages: [
      { section: "nodes", label: "nodes.title", icon: "nodes", page: lazy(() => import("../features/nodes/NodesPage")) },
      { section: "queues", label: "queues.title", icon: "queues", page: lazy(() => import("../features/queues/QueuesPage")) },
      { section: "events", label: "events.title", icon: "events", page: lazy(() => import("../features/events/EventsPage")) },
    ],
  },
];

export const allPages = pageGroups.flatMap((group) => group.pages);
