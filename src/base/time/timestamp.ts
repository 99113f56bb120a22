// Timestamps as the API writes them: RFC 3339 with fractional seconds.

/** UTC, for `created_at`. */
export function formatTimestamp(epochMilliseconds: number): string {
  return new Date(epochMilliseconds).toISOString();
}

/** The server's time zone, for `modified_at` and `expires_at`. */
export function formatLocalTimestamp(epochMilliseconds: number, offset = localOffset(epochMilliseconds)): string {
  if (offset === 0) return formatTimestamp(epochMilliseconds);
  const shifted = new Date(epochMilliseconds + offset * 60_000).toISOString().slice(0, -1);
  const absolute = Math.abs(offset);
  const hours = String(Math.floor(absolute / 60)).padStart(2, '0');
  const minutes = String(absolute % 60).padStart(2, '0');
  return `${shifted}${offset < 0 ? '-' : '+'}${hours}:${minutes}`;
}

/** Minutes east of UTC at that time. */
function localOffset(epochMilliseconds: number): number {
  return -new Date(epochMilliseconds).getTimezoneOffset();
}

/** Returns milliseconds since the epoch, truncated; NaN for an invalid timestamp. */
export function parseTimestamp(text: string): number {
  return Date.parse(text);
}
