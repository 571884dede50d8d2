// Times and spans in words, from epoch seconds.

const locale = "en";

const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
const date = new Intl.DateTimeFormat(locale, { dateStyle: "medium" });
const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });

const steps: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 24 * 3600],
  ["hour", 3600],
  ["minute", 60],
];

/** "20 Nov 2026, 14:04", in the reader's own time zone. */
export function formatDateTime(atSeconds: number): string {
  return dateTime.format(atSeconds * 1000);
}

export function formatDate(atSeconds: number): string {
  return date.format(atSeconds * 1000);
}

/** "just now", "5 minutes ago", "yesterday"; past a week, the date. */
export function formatAgo(atSeconds: number, nowSeconds = Date.now() / 1000): string {
  const passed = nowSeconds - atSeconds;
  if (Math.abs(passed) < 45) return "just now";
  if (Math.abs(passed) > 7 * 24 * 3600) return formatDate(atSeconds);
  const [unit, length] = steps.find(([, length]) => Math.abs(passed) >= length) ?? (["minute", 60] as const);
  return relative.format(-Math.round(passed / length), unit);
}

/** "0:42", "12:05", "1:02:03": a length of time as players show it. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const pad = (value: number) => String(value).padStart(2, "0");
  const minutes = Math.floor(whole / 60) % 60;
  const hours = Math.floor(whole / 3600);
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(whole % 60)}` : `${minutes}:${pad(whole % 60)}`;
}
