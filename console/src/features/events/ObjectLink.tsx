// The name of an object, as a link where the console has a page for it.
import { useEffect } from "preact/hooks";
import { resourceName } from "../../api/jobs";
import { hrefOf, withNamespace } from "../../lib/router";
import { kinds, loadKinds } from "../jobs/live";

export interface ObjectName {
  apiVersion?: string;
  kind?: string;
  namespace?: string;
  name?: string;
}

// Objects of these kinds have pages; jobs of all kinds are found by what the server has.
const sections: Record<string, string> = { Pod: "pods", Secret: "secrets", ConfigMap: "configmaps" };

function hrefOfObject({ apiVersion = "", kind = "", namespace = "", name = "" }: ObjectName): string | undefined {
  if (kind === "Node") return hrefOf(["nodes", name], withNamespace());
  const section = sections[kind];
  if (section && apiVersion === "v1") return hrefOf([section, namespace, name], withNamespace());
  const job = kinds.value.find((one) => one.kind === kind && apiVersion.startsWith(`${one.group}/`));
  return job && hrefOf(["jobs", namespace, resourceName(job), name], withNamespace());
}

/** `short` leaves out the kind. */
export function ObjectLink({ about, short = false }: { about: ObjectName; short?: boolean }) {
  useEffect(() => void loadKinds().catch(() => undefined), []);
  const href = hrefOfObject(about);
  const text = <>{!short && <span class="quiet">{about.kind} </span>}<span class="object">{about.name}</span></>;
  return href ? <a href={href} title={about.name}>{text}</a> : <span title={about.name}>{text}</span>;
}
