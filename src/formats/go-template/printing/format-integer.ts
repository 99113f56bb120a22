// Formats integers for each verb. Returns undefined if the verb does not apply.

import type { Meter } from '../values/limits.ts';
import { type FormatSpec, pad, signOf } from './format-spec.ts';
import { isPrintable, quote } from './quote.ts';

const bases: Readonly<Record<string, number>> = { d: 10, v: 10, b: 2, o: 8, O: 8, x: 16, X: 16 };
const prefixes: Readonly<Record<string, string>> = { b: '0b', o: '0', O: '0', x: '0x', X: '0X' };

export function formatInteger(value: bigint, spec: FormatSpec, meter: Meter): string | undefined {
  const { verb } = spec;
  if (verb === 'c') return pad(toCharacter(value), spec, meter);
  if (verb === 'q') return pad(quote(toCharacter(value), "'", spec.plus), spec, meter);
  if (verb === 'U') return formatCodePoint(value, spec, meter);
  const base = Object.hasOwn(bases, verb) ? bases[verb] : undefined;
  return base === undefined ? undefined : formatDigits(value, base, spec, meter);
}

function toCharacter(code: bigint): string {
  if (code < 0n || code > 0x10ffffn || (code >= 0xd800n && code < 0xe000n)) return '\uFFFD';
  return String.fromCodePoint(Number(code));
}

function formatDigits(value: bigint, base: number, spec: FormatSpec, meter: Meter): string {
  const sign = signOf(value < 0n, spec);
  const withoutZero = { ...spec, zero: false };
  if (spec.precision === 0 && value === 0n) return pad('', withoutZero, meter);
  const fillsWithZeros = spec.zero && !spec.minus && spec.width !== undefined && spec.precision === undefined;
  const min = fillsWithZeros ? (spec.width as number) - sign.length : (spec.precision ?? 0);
  meter.text(min);
  let digits = (value < 0n ? -value : value).toString(base);
  if (spec.verb === 'X') digits = digits.toUpperCase();
  digits = digits.padStart(min, '0');
  const isOctal = base === 8;
  if (spec.sharp && !(isOctal && digits.startsWith('0'))) digits = (prefixes[spec.verb] ?? '') + digits;
  if (spec.verb === 'O') digits = `0o${digits}`;
  return pad(sign + digits, withoutZero, meter);
}

function formatCodePoint(value: bigint, spec: FormatSpec, meter: Meter): string {
  const min = Math.max(spec.precision ?? 4, 4);
  meter.text(min);
  // Go converts negative numbers to unsigned.
  const digits = BigInt.asUintN(64, value).toString(16).toUpperCase().padStart(min, '0');
  const character = toCharacter(value);
  const shown = spec.sharp && value >= 0n && value <= 0x10ffffn && isPrintable(character) ? ` '${character}'` : '';
  return pad(`U+${digits}${shown}`, { ...spec, zero: false }, meter);
}
