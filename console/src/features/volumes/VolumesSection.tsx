import type { PageProps } from "../../app/pages";
import { VolumePage } from "./VolumePage";
import { VolumesPage } from "./VolumesPage";

export default function VolumesSection({ path }: PageProps) {
  const [ns, name] = path;
  return ns && name ? <VolumePage key={`${ns}/${name}`} ns={ns} name={name} /> : <VolumesPage />;
}
