import { formatAgo, formatDateTime } from "./time.ts";

/** How long ago something was; the exact time on hover and for machines. */
export function Ago({ at }: { at: number }) {
  return (
    <time dateTime={new Date(at * 1000).toISOString()} title={formatDateTime(at)}>
      {formatAgo(at)}
    </time>
  );
}
