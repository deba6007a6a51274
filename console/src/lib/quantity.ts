// Kubernetes quantities: "16", "100m", "8Gi".

const suffixes: Record<string, number> = {
  n: 1e-9, u: 1e-6, m: 1e-3, "": 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18,
  Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60,
};

/** Returns undefined if the value is not a quantity. */
export function parseQuantity(value: string | number | undefined): number | undefined {
  if (typeof value === "number") return value;
  const match = /^([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)([a-zA-Z]*)$/.exec(value ?? "");
  const factor = suffixes[match?.[2] ?? "none"];
  const number = Number(match?.[1]);
  return match && factor !== undefined && Number.isFinite(number) ? number * factor : undefined;
}

/** "16.00", "100.00m", "-": as the tutorials write processors. */
export function formatCpu(cores: number | undefined): string {
  if (cores === undefined) return "-";
  return cores > 0 && cores < 1 ? `${(cores * 1000).toFixed(2)}m` : cores.toFixed(2);
}

/** "48 B", "4.77MiB": the size of a file. */
export const formatFileSize = (bytes: number) => (bytes < 1024 ? `${bytes} B` : `${formatBytes(bytes)}B`);

/** "8.00Gi", "100.00Mi", "-". */
export function formatBytes(bytes: number | undefined): string {
  if (bytes === undefined) return "-";
  const units = ["", "Ki", "Mi", "Gi", "Ti", "Pi"];
  let unit = 0;
  let rest = bytes;
  while (rest >= 1024 && unit < units.length - 1) {
    rest /= 1024;
    unit += 1;
  }
  return unit === 0 ? String(Math.round(rest)) : rest.toFixed(2) + units[unit];
}

/** The amount of a resource as people read it: "4.00" cores, "8.00Gi", "2" devices. */
export function formatAmount(resource: string, value: string | number | undefined): string {
  const amount = parseQuantity(value);
  if (resource === "cpu") return formatCpu(amount);
  if (resource === "memory" || resource === "ephemeral-storage" || resource.startsWith("hugepages-")) return formatBytes(amount);
  return amount === undefined ? "-" : String(amount);
}
