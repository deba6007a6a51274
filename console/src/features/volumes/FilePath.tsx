import { t } from "../../i18n";
import { hrefOf, withNamespace } from "../../lib/router";
import { shownPath, type Claim } from "./files";

export function folderHref(claim: Claim, folder: string): string {
  return hrefOf(["volumes", claim.ns, claim.name], withNamespace({ path: folder || undefined }));
}

export function fileHref(claim: Claim, folder: string, file: string): string {
  return hrefOf(["volumes", claim.ns, claim.name], withNamespace({ path: folder || undefined, file }));
}

/** Where one is on the volume; each folder above is a link. */
export function FilePath({ claim, path }: { claim: Claim; path: string }) {
  const parts = path ? path.split("/") : [];
  return (
    <nav class="file-path object" aria-label={t("files.folder")}>
      <a href={folderHref(claim, "")} aria-current={parts.length === 0 ? "page" : undefined}>{claim.name}</a>
      {parts.map((part, index) => (
        <span key={index}>
          {" / "}
          {index === parts.length - 1 ? <span aria-current="page">{shownPath(part)}</span> : <a href={folderHref(claim, parts.slice(0, index + 1).join("/"))}>{shownPath(part)}</a>}
        </span>
      ))}
    </nav>
  );
}
