// Values as people read them.

const byteUnits = ['B', 'KB', 'MB', 'GB', 'TB'] as const;

/** As in `hearth list`: in powers of 1000, with one decimal below ten and none from there on. */
export function formatSize(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), byteUnits.length - 1);
  const value = bytes / 1000 ** power;
  const shown = value >= 10 || Number.isInteger(value) ? Math.trunc(value) : value.toFixed(1);
  return `${shown} ${byteUnits[power]}`;
}

export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

const secondsOfUnits = [
  ['year', 365 * 24 * 3600],
  ['month', 30 * 24 * 3600],
  ['week', 7 * 24 * 3600],
  ['day', 24 * 3600],
  ['hour', 3600],
  ['minute', 60],
] as const;
const relativeTime = new Intl.RelativeTimeFormat('en');

/** A time in the past, such as "3 hours ago". `nowMs` counts from the epoch. */
export function formatAgo(time: string, nowMs: number): string {
  const seconds = (nowMs - Date.parse(time)) / 1000;
  const [unit, length] = secondsOfUnits.find(([, size]) => seconds >= size) ?? [undefined, 1];
  return unit === undefined ? 'just now' : relativeTime.format(-Math.floor(seconds / length), unit);
}

/** The name of a model as people write it, without the tag `latest`. */
export function shownName(model: string): string {
  return model.replace(/:latest$/, '');
}
