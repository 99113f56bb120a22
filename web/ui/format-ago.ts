// A time in the past as people say it: "3 hours ago".

const units = [
  ['year', 365 * 24 * 3600],
  ['month', 30 * 24 * 3600],
  ['week', 7 * 24 * 3600],
  ['day', 24 * 3600],
  ['hour', 3600],
  ['minute', 60],
] as const;

const format = new Intl.RelativeTimeFormat('en');

/** `now` is in milliseconds since the epoch. */
export function formatAgo(time: string, now: number): string {
  const seconds = (now - Date.parse(time)) / 1000;
  const [unit, length] = units.find(([, size]) => seconds >= size) ?? [undefined, 1];
  return unit === undefined ? 'just now' : format.format(-Math.floor(seconds / length), unit);
}
