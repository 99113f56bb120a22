// Moments as the API writes them: RFC 3339 with a fraction of a second.

/** In UTC, as `created_at` is sent. */
export function formatTimestamp(epochMilliseconds: number): string {
  return new Date(epochMilliseconds).toISOString();
}

/** In the server's own time zone, as `modified_at` and `expires_at` are sent. */
export function formatLocalTimestamp(epochMilliseconds: number, offset = localOffset(epochMilliseconds)): string {
  if (offset === 0) return formatTimestamp(epochMilliseconds);
  const shifted = new Date(epochMilliseconds + offset * 60_000).toISOString().slice(0, -1);
  const absolute = Math.abs(offset);
  const hours = String(Math.floor(absolute / 60)).padStart(2, '0');
  const minutes = String(absolute % 60).padStart(2, '0');
  return `${shifted}${offset < 0 ? '-' : '+'}${hours}:${minutes}`;
}

/** Minutes east of Greenwich, at that moment. */
function localOffset(epochMilliseconds: number): number {
  return -new Date(epochMilliseconds).getTimezoneOffset();
}

/** Milliseconds since the epoch; NaN for what is no moment. Anything finer is dropped. */
export function parseTimestamp(text: string): number {
  return Date.parse(text);
}
