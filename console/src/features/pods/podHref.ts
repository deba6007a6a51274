import { hrefOf, withNamespace } from "../../lib/router";

export const podHref = (ns: string, name: string, query: Record<string, string> = {}) => hrefOf(["pods", ns, name], withNamespace(query));
