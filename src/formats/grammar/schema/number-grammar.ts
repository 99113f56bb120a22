// Numbers between bounds, digit by digit. They are counted in units of their last digit, as whole numbers: so far from
// the precision of floating point that reading them back cannot carry one across a bound.

import {
  characters,
  choice,
  type Expression,
  nothing,
  optional,
  repeat,
  rule,
  sequence,
  text,
} from '../gbnf/expression.ts';
import { type Contradiction, contradiction } from '../schema-error.ts';

export interface NumberConstraints {
  readonly integer: boolean;
  readonly least: Bound;
  readonly most: Bound;
}

export interface Bound {
  /** Infinite: there is none. */
  readonly value: number;
  readonly exclusive: boolean;
}

// Decimals of up to 15 digits survive floating point, so those on one side of a bound stay there.
const preciseDigits = 15;
const maxInteger = BigInt(Number.MAX_SAFE_INTEGER);

export function numberExpression(constraints: NumberConstraints, path: string): Expression | Contradiction {
  const { integer, least, most } = constraints;
  if (!Number.isFinite(least.value) && !Number.isFinite(most.value)) return rule(integer ? 'integer' : 'number');
  const paths = integer ? 0 : slotsFor([least.value, most.value]);
  const { from, to } = spanOf(constraints, paths);
  if (from > to) return contradiction(path, `allows no ${integer ? 'integer' : 'number'} that can be written here`);

  const options: Expression[] = [];
  if (from < 0n) options.push(sequence(text('-'), magnitudes(to < 0n ? -to : 1n, -from, paths)));
  if (to >= 0n) options.push(magnitudes(from > 0n ? from : 0n, to, paths));
  return choice(options);
}

/** The bounds in units of the last place. */
function spanOf(
  { integer, least, most }: NumberConstraints,
  paths: number,
): { readonly from: bigint; readonly to: bigint } {
  const farthest = integer ? maxInteger : 10n ** BigInt(preciseDigits + paths) - 1n;
  const lowest = Number.isFinite(least.value) ? scaledUp(least, paths) : -farthest;
  const highest = Number.isFinite(most.value) ? -scaledUp({ ...most, value: -most.value }, paths) : farthest;
  return { from: lowest < -farthest ? -farthest : lowest, to: highest > farthest ? farthest : highest };
}

/** Digits after the point. */
function slotsFor(values: readonly number[]): number {
  // Bounds beyond the numbers that are written here cannot be run into.
  const near = values.map(Math.abs).filter((value) => value < 10 ** preciseDigits);
  return preciseDigits - Math.max(1, ...near.map((value) => Math.trunc(value).toString().length));
}

/** The bound in units of the last place, away from what is not allowed. */
function scaledUp({ value, exclusive }: Bound, paths: number): bigint {
  const { negative, digits, exponent } = decimalOf(value);
  const shift = exponent + paths;
  // Far below the last place, all that counts is which side of zero it is on.
  const cutOff = shift < -digits.length - 1;
  const divisor = shift >= 0 || cutOff ? 1n : 10n ** BigInt(-shift);
  const magnitude = cutOff ? 0n : BigInt(digits) * (shift > 0 ? 10n ** BigInt(shift) : 1n);
  const exact = cutOff ? BigInt(digits) === 0n : magnitude % divisor === 0n;
  const towardsZero = ((negative ? -1n : 1n) * magnitude) / divisor;
  if (exact) return exclusive ? towardsZero + 1n : towardsZero;
  return negative ? towardsZero : towardsZero + 1n;
}

/** A number as it is written: digits times a power of ten. */
function decimalOf(value: number): { readonly negative: boolean; readonly digits: string; readonly exponent: number } {
  const [mantissa = '0', power = '0'] = Math.abs(value).toString().split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  return { negative: value < 0, digits: whole + fraction, exponent: Number(power) - fraction.length };
}

/** From one count of last places to the other, none of them negative. */
function magnitudes(from: bigint, to: bigint, paths: number): Expression {
  const scale = 10n ** BigInt(paths);
  const [fromWhole, toWhole] = [from / scale, to / scale];
  const fromPart = paths === 0 ? '' : (from % scale).toString().padStart(paths, '0');
  const toPart = paths === 0 ? '' : (to % scale).toString().padStart(paths, '0');
  const whole = (number: bigint, part: Expression): Expression => sequence(text(number.toString()), part);
  if (fromWhole === toWhole) return whole(fromWhole, fraction({ from: fromPart, to: toPart }));

  const options: Expression[] = [];
  const anyPart = fraction({ paths });
  const beginsWhole = isZeros(fromPart);
  const endsWhole = isNines(toPart);
  const first = beginsWhole ? fromWhole : fromWhole + 1n;
  const last = endsWhole ? toWhole : toWhole - 1n;
  if (!beginsWhole) options.push(whole(fromWhole, fraction({ from: fromPart })));
  if (first <= last) options.push(sequence(wholeNumbers(first.toString(), last.toString()), anyPart));
  if (!endsWhole) options.push(whole(toWhole, fraction({ to: toPart })));
  return choice(options);
}

interface Part {
  readonly from?: string;
  readonly to?: string;
  readonly paths?: number;
}

/** The point and the digits after it; none at all stand for zero. */
function fraction({ from, to, paths = 0 }: Part): Expression {
  const length = from?.length ?? to?.length ?? paths;
  if (length === 0) return nothing;
  const digits = fractionDigits(from, to, length);
  const point = sequence(text('.'), digits);
  return isZeros(from) ? optional(point) : point;
}

/** One digit or more, and at most `length`. Missing ones are zeros. */
function fractionDigits(from: string | undefined, to: string | undefined, length: number): Expression {
  if (isZeros(from) && isNines(to)) return repeat(digits(0, 9), 1, length);
  const [lowTight, highTight] = [!isZeros(from), !isNines(to)];
  const lowest = lowTight ? Number(from?.[0]) : 0;
  const highest = highTight ? Number(to?.[0]) : 9;
  const [fromRest, toRest] = [lowTight ? from?.slice(1) : undefined, highTight ? to?.slice(1) : undefined];
  const rest = (nextFrom: string | undefined, nextTo: string | undefined): Expression => {
    if (length === 1) return nothing;
    const more = fractionDigits(nextFrom, nextTo, length - 1);
    return isZeros(nextFrom) ? optional(more) : more;
  };
  if (lowest === highest) return sequence(digits(lowest, lowest), rest(fromRest, toRest));
  const inner = [lowTight ? lowest + 1 : lowest, highTight ? highest - 1 : highest] as const;
  const options: Expression[] = [];
  if (lowTight) options.push(sequence(digits(lowest, lowest), rest(fromRest, undefined)));
  if (inner[0] <= inner[1]) options.push(sequence(digits(...inner), rest(undefined, undefined)));
  if (highTight) options.push(sequence(digits(highest, highest), rest(undefined, toRest)));
  return choice(options);
}

const isZeros = (digits: string | undefined): boolean => digits === undefined || /^0*$/.test(digits);
const isNines = (digits: string | undefined): boolean => digits === undefined || /^9*$/.test(digits);

/** Whole numbers between two, both included, without leading zeros. */
function wholeNumbers(from: string, to: string): Expression {
  if (from.length === to.length) return fixedDigits(from, to);
  const options = [fixedDigits(from, '9'.repeat(from.length))];
  if (from.length + 1 < to.length)
    options.push(sequence(digits(1, 9), repeat(digits(0, 9), from.length, to.length - 2)));
  options.push(fixedDigits(`1${'0'.repeat(to.length - 1)}`, to));
  return choice(options);
}

/** Digits of one length, between two such texts. */
function fixedDigits(from: string, to: string): Expression {
  if (from === '') return nothing;
  if (isZeros(from) && isNines(to)) return repeat(digits(0, 9), from.length, from.length);
  const [lowest, highest] = [Number(from[0]), Number(to[0])];
  const [fromRest, toRest] = [from.slice(1), to.slice(1)];
  if (lowest === highest) return sequence(digits(lowest, lowest), fixedDigits(fromRest, toRest));
  const zeros = '0'.repeat(fromRest.length);
  const nines = '9'.repeat(fromRest.length);
  const [lowTight, highTight] = [fromRest !== zeros, toRest !== nines];
  const inner = [lowTight ? lowest + 1 : lowest, highTight ? highest - 1 : highest] as const;
  const options: Expression[] = [];
  if (lowTight) options.push(sequence(digits(lowest, lowest), fixedDigits(fromRest, nines)));
  if (inner[0] <= inner[1]) options.push(sequence(digits(...inner), fixedDigits(zeros, nines)));
  if (highTight) options.push(sequence(digits(highest, highest), fixedDigits(zeros, toRest)));
  return choice(options);
}

function digits(from: number, to: number): Expression {
  return from === to ? text(String(from)) : characters([[0x30 + from, 0x30 + to]]);
}
