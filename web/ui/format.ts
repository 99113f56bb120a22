// Values as people read them.

import type { Text } from '../language/catalogue.ts';
import { locale, t } from '../language/language.ts';

const byteUnits = ['{size} B', '{size} KB', '{size} MB', '{size} GB', '{size} TB'] as const satisfies readonly Text[];

/** As in `hearth list`: in powers of 1000, with one decimal below ten and none from there on. */
export function formatSize(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), byteUnits.length - 1);
  const value = bytes / 1000 ** power;
  const size = value >= 10 || Number.isInteger(value) ? Math.trunc(value) : formatDecimal(value);
  return t(byteUnits[power] ?? '{size} B', { size });
}

export function formatCount(count: number): string {
  return count.toLocaleString(locale());
}

/** A part of a whole, in percent. */
export function formatShare(share: number): string {
  return share.toLocaleString(locale(), { style: 'percent' });
}

/** Tokens per second. */
export function formatSpeed(perSecond: number): string {
  return perSecond.toLocaleString(locale(), { maximumFractionDigits: perSecond >= 100 ? 0 : 1 });
}

function formatDecimal(value: number): string {
  return value.toLocaleString(locale(), { minimumFractionDigits: 1, maximumFractionDigits: 1 });
}

export function formatTime(milliseconds: number): string {
  if (milliseconds < 995) return t('{count} ms', { count: Math.round(milliseconds) });
  const seconds = milliseconds / 1000;
  return t('{count} s', { count: seconds < 10 ? formatDecimal(seconds) : Math.round(seconds) });
}

/** From one moment of the server to another: "12 s", "3 min", "2 h 5 min". */
export function formatRunTime(from: string, to: string): string {
  const seconds = Math.max(0, Math.floor((Date.parse(to) - Date.parse(from)) / 1000));
  if (seconds < 60) return t('{count} s', { count: seconds });
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return t('{count} min', { count: minutes });
  return t('{hours} h {minutes} min', { hours: Math.floor(minutes / 60), minutes: minutes % 60 });
}

/** A time, or a day as in 2026-04-30, which is the same in all time zones. */
export function formatDate(time: string): string {
  const timeZone = time.includes('T') ? undefined : 'UTC';
  return new Date(time).toLocaleDateString(locale(), { dateStyle: 'medium', timeZone });
}

export function formatTimeOfDay(time: string): string {
  return new Date(time).toLocaleTimeString(locale());
}

const secondsOfUnits = [
  ['year', 365 * 24 * 3600],
  ['month', 30 * 24 * 3600],
  ['week', 7 * 24 * 3600],
  ['day', 24 * 3600],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** A time in the past, such as "3 hours ago". `nowMs` counts from the epoch. */
export function formatAgo(time: string, nowMs: number): string {
  const seconds = (nowMs - Date.parse(time)) / 1000;
  const [unit, length] = secondsOfUnits.find(([, size]) => seconds >= size) ?? [undefined, 1];
  return unit === undefined
    ? t('just now')
    : new Intl.RelativeTimeFormat(locale()).format(-Math.floor(seconds / length), unit);
}

/** The name of a model as people write it, without the tag `latest`. */
export function shownName(model: string): string {
  return model.replace(/:latest$/, '');
}
