// The dates of today and yesterday in the time zone of the server.

import { formatLocalTimestamp } from '../../../base/time/timestamp.ts';

const hour = 3_600_000;
const lengthOfDate = 'YYYY-MM-DD'.length;

export function currentDate(now: number): string {
  return formatLocalTimestamp(now).slice(0, lengthOfDate);
}

/** Computed from noon, because a day can have 23 or 25 hours. */
export function yesterdayDate(now: number): string {
  const hours = Number(formatLocalTimestamp(now).slice(11, 13));
  return formatLocalTimestamp(now - (hours + 12) * hour).slice(0, lengthOfDate);
}
