// What a file is, by its first bytes and its name. Pure.

/** More than this is not edited: the editor holds all of it, and every save sends all of it. */
export const mostEdited = 1024 * 1024;
/** What is shown of a larger file. */
export const partShown = 256 * 1024;
export const largestImage = 16 * 1024 * 1024;

const imageTypes: Record<string, string> = {
  png: "image/png", jpg: "image/jpeg", jpeg: "image/jpeg", gif: "image/gif", webp: "image/webp", bmp: "image/bmp", svg: "image/svg+xml", ico: "image/x-icon",
};

const extensionOf = (name: string) => /\.([^./]+)$/.exec(name)?.[1]?.toLowerCase() ?? "";

/** The type of a picture that browsers show; undefined for all else. */
export const imageType = (name: string): string | undefined => imageTypes[extensionOf(name)];

export function languageOf(name: string): "python" | "yaml" | "text" {
  const extension = extensionOf(name);
  if (extension === "py" || extension === "pyi") return "python";
  return extension === "yaml" || extension === "yml" ? "yaml" : "text";
}

/** The text of a file; undefined when it is none. A part of a file may end within a character. */
export function decodeText(bytes: ArrayBuffer, isPart: boolean): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: isPart });
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

/** How its lines end, so that a save keeps it. */
export const lineBreakOf = (text: string) => (text.includes("\r\n") ? "\r\n" : "\n");
