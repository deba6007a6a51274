// Times in one format everywhere, in the zone of the browser, which is named.

const two = (n: number) => String(n).padStart(2, "0");

/** "2026-11-17 10:01:22". */
export function formatTime(text: string | undefined): string {
  const time = new Date(text ?? "");
  if (Number.isNaN(time.getTime())) return "-";
  const date = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${date} ${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
}

/** "2026-11-17 10:01:22 UTC+08:00", "-" for none. */
export const fullTime = (text: string | undefined) => (text ? `${formatTime(text)} ${zoneName()}` : "-");

/** "10:01:22.104", for logs. */
export function formatClock(time: number): string {
  const at = new Date(time);
  const seconds = `${two(at.getSeconds())}.${String(at.getMilliseconds()).padStart(3, "0")}`;
  return `${two(at.getHours())}:${two(at.getMinutes())}:${seconds}`;
}

/** "UTC+08:00". */
export function zoneName(at = new Date()): string {
  const minutes = -at.getTimezoneOffset();
  if (minutes === 0) return "UTC";
  const size = Math.abs(minutes);
  return `UTC${minutes < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/** "45 s", "2 m 14 s", "3 h 5 m", "2 d 4 h": the two largest units. */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${seconds % 60} s`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} m`;
  return `${Math.floor(seconds / 86400)} d ${Math.floor((seconds % 86400) / 3600)} h`;
}

/** How long ago, in one unit: "45 s", "2 m", "3 h", "2 d". */
export function formatAge(text: string | undefined, now: number): string {
  const then = Date.parse(text ?? "");
  if (Number.isNaN(then)) return "-";
  return formatDuration(now - then).split(" ").slice(0, 2).join(" ");
}
