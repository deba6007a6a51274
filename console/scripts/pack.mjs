// pack.mjs FOLDER FILE: writes a built console as one file, in the format of src/web/console/asset_pack.h.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { extname, join, relative } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const types = {
  ".html": "text/html;charset=utf-8",
  ".js": "text/javascript;charset=utf-8",
  ".css": "text/css;charset=utf-8",
  ".svg": "image/svg+xml",
  ".json": "application/json",
};

const [folder, file] = process.argv.slice(2);
const index = [];
const bodies = [];
const add = (path, type, encoding, bytes) => {
  index.push(`${path} ${type} ${encoding} ${bytes.length}\n`);
  bodies.push(bytes);
};

for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) continue;
  const full = join(entry.parentPath ?? entry.path, entry.name);
  const path = relative(folder, full);
  const type = types[extname(path)];
  if (!type) throw new Error(`pack: ${path}: unknown type of file; add it to scripts/pack.mjs`);
  const bytes = readFileSync(full);
  add(path, type, "identity", bytes);
  add(path, type, "gzip", gzipSync(bytes, { level: 9 }));
  add(path, type, "br", brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }));
}
writeFileSync(file, Buffer.concat([Buffer.from(`muster-console 1\n${index.join("")}\n`), ...bodies]));
