import { podHref } from "../pods/podHref";

/** The pods that mount a volume, as links; "-" when nothing does. */
export function Users({ ns, pods }: { ns: string; pods: string[] }) {
  if (pods.length === 0) return <>-</>;
  return <span class="object users" title={pods.join("\n")}>{pods.map((pod) => <a key={pod} href={podHref(ns, pod)}>{pod}</a>)}</span>;
}
