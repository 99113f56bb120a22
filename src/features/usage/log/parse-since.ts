// The start of a period, as people write it: `7d`, `12h`, `2026-11-01`, or an RFC 3339 time.

import { HearthError } from '../../../base/errors.ts';
import { parseTimestamp } from '../../../base/time/timestamp.ts';

const minute = 60_000;
const milliseconds: Readonly<Record<string, number>> = {
  m: minute,
  h: 60 * minute,
  d: 24 * 60 * minute,
  w: 7 * 24 * 60 * minute,
};

/** Returns milliseconds since the epoch. A date is its first moment in UTC. */
export function parseSince(text: string, now: number): number {
  const [, number, unit = ''] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  if (number !== undefined) return now - Number(number) * (milliseconds[unit] ?? 0);
  const time = /^\d{4}-\d{2}-\d{2}(T[\d:.]{5,15}(Z|[+-]\d{2}:\d{2}))?$/.test(text) ? parseTimestamp(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  const shown = JSON.stringify(text.slice(0, 50));
  throw new HearthError(
    'bad_request',
    `since: ${shown} is not a period such as 12h, 7d or 4w, nor a date such as 2026-11-01`,
  );
}
