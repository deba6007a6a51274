// Addresses of the Kubernetes API and of our own paths.
const inNamespace = (ns: string) => (ns ? `namespaces/${encodeURIComponent(ns)}/` : "");

/** "" as the namespace is all of them, and what has none. */
export const corePath = (plural: string, ns = "") => `/api/v1/${inNamespace(ns)}${plural}`;
export const groupPath = (group: string, version: string, plural: string, ns = "") => `/apis/${group}/${version}/${inNamespace(ns)}${plural}`;
export const ownPath = (plural: string, ns: string) => groupPath("muster.dev", "v1", plural, ns);
/** Our own paths about a job begin with this. */
export const jobPath = (ns: string, resource: string, name: string) => `${ownPath(`jobs/${resource}`, ns)}/${encodeURIComponent(name)}`;
/** The curves that a job has logged. */
export const scalarsPath = (ns: string, resource: string, name: string) => `${jobPath(ns, resource, name)}/scalars`;
export const objectPath = (collection: string, name: string) => `${collection}/${encodeURIComponent(name)}`;
