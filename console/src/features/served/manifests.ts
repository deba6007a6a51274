// The forms of TensorBoards and notebooks as manifests. Pure: what is left empty is left out.
import type { Container, Notebook, TensorBoard } from "#types";

export interface BoardForm {
  name: string;
  /** volume/path, one per line. */
  folders: string;
  image: string;
}

/** Paths of one volume together, in the order of the lines. */
export function boardManifest(form: BoardForm): TensorBoard {
  const paths = new Map<string, string[]>();
  for (const line of form.folders.split("\n").map((one) => one.trim()).filter(Boolean)) {
    const [claim = "", ...path] = line.split("/");
    paths.set(claim, [...(paths.get(claim) ?? []), path.join("/")]);
  }
  const pvc = [...paths].map(([name, subPath]) => (subPath.every((path) => path === "") ? { name } : { name, subPath }));
  return {
    apiVersion: "tensorstack.dev/v1beta1", kind: "TensorBoard", metadata: { name: form.name },
    spec: { logDir: { pvc }, ...(form.image ? { image: form.image } : {}) },
  };
}

/** What a TensorBoard shows, as the older form of the field writes it: "t9k://pvc/mnist/log". */
export function foldersOf(board: TensorBoard): string[] {
  const clean = (path: string) => path.replace(/^(?:\.?\/)+|\/+$/g, "");
  const named = (board.spec.logDir?.pvc ?? []).flatMap(({ name, subPath, subpath }) => {
    const paths = [...(subPath ?? []), ...(subpath ?? [])];
    return (paths.length > 0 ? paths : [""]).map((path) => [`t9k://pvc/${name}`, clean(path)].filter(Boolean).join("/"));
  });
  return [...(board.spec.trainingLogFilesets ?? []), ...named, ...(board.spec.logDir?.s3?.uri ?? []), ...(board.spec.logDir?.http?.url ?? [])];
}

export interface NotebookForm {
  name: string;
  image: string;
  claim: string;
  cpu: string;
  memory: string;
  gpus: string;
  /** Minutes; "" is never. */
  idle: string;
}

/** Where a notebook has its home folder. */
const home = "/t9k/mnt";

export function notebookManifest(form: NotebookForm): Notebook {
  const minutes = Number(form.idle);
  const limits = Object.fromEntries([["cpu", form.cpu], ["memory", form.memory], ["nvidia.com/gpu", form.gpus]].filter(([, amount]) => amount));
  const container: Container = {
    name: "notebook", image: form.image, volumeMounts: [{ name: "home", mountPath: home }],
    ...(Object.keys(limits).length > 0 ? { resources: { limits } } : {}),
  };
  return {
    apiVersion: "tensorstack.dev/v1beta1", kind: "Notebook", metadata: { name: form.name },
    spec: {
      type: "jupyter",
      // The server says what is wrong with text that is not a number.
      ...(form.idle ? { stopAfterIdleSeconds: Number.isNaN(minutes) ? (form.idle as unknown as number) : Math.round(minutes * 60) } : {}),
      template: { spec: { containers: [container], volumes: [{ name: "home", persistentVolumeClaim: { claimName: form.claim } }] } },
    },
  };
}

/** The volumes that a notebook mounts. */
export const claimsOf = (notebook: Notebook): string[] =>
  [...new Set((notebook.spec.template.spec?.volumes ?? []).flatMap((volume) => volume.persistentVolumeClaim?.claimName ?? []))];

export const imageOf = (notebook: Notebook): string => {
  const containers = notebook.spec.template.spec?.containers ?? [];
  return (containers.find((one) => one.name === "notebook") ?? containers[0])?.image ?? "-";
};
