// Converts bounded numbers, digit by digit. Bounds are scaled to integers (fixed point), with few enough digits that
// rounding to a double never moves a number across a bound.

import {
  characterClass,
  choiceOf,
  type Expression,
  empty,
  isNever,
  literal,
  never,
  optional,
  repeat,
  rule,
  sequence,
} from '../gbnf/expression.ts';
import type { Rules } from '../gbnf/rules.ts';
import { type Contradiction, contradiction } from '../limits/schema-error.ts';
import type { PatternContext } from '../pattern/automaton.ts';
import { type Multiples, multiplesExpression } from './multiple-expression.ts';

export interface NumberConstraints {
  readonly integer: boolean;
  readonly min: Bound;
  readonly max: Bound;
  /** A number that an integer must be a multiple of; 1 if there is none. */
  readonly multiple: number;
}

export interface Bound {
  /** Infinite if there is no bound. */
  readonly value: number;
  readonly exclusive: boolean;
}

// A double holds any decimal of 15 digits, so a number does not move to the other side of a bound.
const preciseDigits = 15;
const maxInteger = BigInt(Number.MAX_SAFE_INTEGER);

export function numberExpression(
  rules: Rules,
  constraints: NumberConstraints,
  context: PatternContext,
): Expression | Contradiction {
  const { integer, min, max, multiple } = constraints;
  if (multiple === 1 && !Number.isFinite(min.value) && !Number.isFinite(max.value))
    return rule(integer ? 'integer' : 'number');
  const decimals = integer ? 0 : decimalsFor([min.value, max.value]);
  const { from, to } = spanOf(constraints, decimals);
  if (from > to)
    return contradiction(context.path, `allows no ${integer ? 'integer' : 'number'} that can be generated`);
  if (multiple > 1) return multiplesBetween(rules, { from, to, multiple }, context);

  const options: Expression[] = [];
  if (from < 0n) options.push(sequence(literal('-'), magnitudes(to < 0n ? -to : 1n, -from, decimals)));
  if (to >= 0n) options.push(magnitudes(from > 0n ? from : 0n, to, decimals));
  return choiceOf(options);
}

function multiplesBetween(rules: Rules, { from, to, multiple }: Multiples, context: PatternContext) {
  const positive = (lowest: bigint, highest: bigint): Expression =>
    lowest > highest
      ? never
      : multiplesExpression(rules, { from: lowest > 1n ? lowest : 1n, to: highest, multiple }, context);
  const options = [
    sequence(literal('-'), positive(-to, -from)),
    from <= 0n && to >= 0n ? literal('0') : never,
    positive(from, to),
  ];
  const found = choiceOf(options);
  return isNever(found) ? contradiction(context.path, `allows no multiple of ${multiple}`) : found;
}

/** The bounds in units of the last decimal. */
function spanOf(
  { integer, min, max, multiple }: NumberConstraints,
  decimals: number,
): { readonly from: bigint; readonly to: bigint } {
  const farthest = integer && multiple === 1 ? maxInteger : 10n ** BigInt(preciseDigits + decimals) - 1n;
  const lowest = Number.isFinite(min.value) ? scaledUp(min, decimals) : -farthest;
  const highest = Number.isFinite(max.value) ? -scaledUp({ ...max, value: -max.value }, decimals) : farthest;
  return { from: lowest < -farthest ? -farthest : lowest, to: highest > farthest ? farthest : highest };
}

/** The number of digits after the decimal point. */
function decimalsFor(values: readonly number[]): number {
  // Larger bounds are outside of the numbers that can be generated.
  const near = values.map(Math.abs).filter((value) => value < 10 ** preciseDigits);
  return preciseDigits - Math.max(1, ...near.map((value) => Math.trunc(value).toString().length));
}

/** A lower bound in units of the last decimal, rounded up. */
function scaledUp({ value, exclusive }: Bound, decimals: number): bigint {
  const { negative, digits, exponent } = decimalOf(value);
  const shift = exponent + decimals;
  // Below the last decimal only the sign matters.
  const cutOff = shift < -digits.length - 1;
  const divisor = shift >= 0 || cutOff ? 1n : 10n ** BigInt(-shift);
  const magnitude = cutOff ? 0n : BigInt(digits) * (shift > 0 ? 10n ** BigInt(shift) : 1n);
  const exact = cutOff ? BigInt(digits) === 0n : magnitude % divisor === 0n;
  const truncated = ((negative ? -1n : 1n) * magnitude) / divisor;
  if (exact) return exclusive ? truncated + 1n : truncated;
  return negative ? truncated : truncated + 1n;
}

/** The decimal representation: digits times a power of ten. */
function decimalOf(value: number): { readonly negative: boolean; readonly digits: string; readonly exponent: number } {
  const [mantissa = '0', power = '0'] = Math.abs(value).toString().split('e');
  const [integer = '0', fraction = ''] = mantissa.split('.');
  return { negative: value < 0, digits: integer + fraction, exponent: Number(power) - fraction.length };
}

/** Non-negative numbers between two bounds, which are in units of the last decimal. */
function magnitudes(from: bigint, to: bigint, decimals: number): Expression {
  const scale = 10n ** BigInt(decimals);
  const [fromInteger, toInteger] = [from / scale, to / scale];
  const fromPart = decimals === 0 ? '' : (from % scale).toString().padStart(decimals, '0');
  const toPart = decimals === 0 ? '' : (to % scale).toString().padStart(decimals, '0');
  const exact = (integer: bigint, part: Expression): Expression => sequence(literal(integer.toString()), part);
  if (fromInteger === toInteger) return exact(fromInteger, fraction({ from: fromPart, to: toPart }));

  const options: Expression[] = [];
  const anyPart = fraction({ decimals });
  const startsAtInteger = isZeros(fromPart);
  const endsAtInteger = isNines(toPart);
  const first = startsAtInteger ? fromInteger : fromInteger + 1n;
  const last = endsAtInteger ? toInteger : toInteger - 1n;
  if (!startsAtInteger) options.push(exact(fromInteger, fraction({ from: fromPart })));
  if (first <= last) options.push(sequence(integers(first.toString(), last.toString()), anyPart));
  if (!endsAtInteger) options.push(exact(toInteger, fraction({ to: toPart })));
  return choiceOf(options);
}

/** The decimal point and the digits after it. Both can be absent if the fraction may be zero. */
function fraction({
  from,
  to,
  decimals = 0,
}: {
  readonly from?: string;
  readonly to?: string;
  readonly decimals?: number;
}): Expression {
  const length = from?.length ?? to?.length ?? decimals;
  if (length === 0) return empty;
  const digits = fractionDigits(from, to, length);
  const point = sequence(literal('.'), digits);
  return isZeros(from) ? optional(point) : point;
}

/** One to `length` digits. Missing digits are zeros. */
function fractionDigits(from: string | undefined, to: string | undefined, length: number): Expression {
  if (isZeros(from) && isNines(to)) return repeat(digits(0, 9), 1, length);
  const [lowTight, highTight] = [!isZeros(from), !isNines(to)];
  const lowest = lowTight ? Number(from?.[0]) : 0;
  const highest = highTight ? Number(to?.[0]) : 9;
  const [fromRest, toRest] = [lowTight ? from?.slice(1) : undefined, highTight ? to?.slice(1) : undefined];
  const rest = (nextFrom: string | undefined, nextTo: string | undefined): Expression => {
    if (length === 1) return empty;
    const more = fractionDigits(nextFrom, nextTo, length - 1);
    return isZeros(nextFrom) ? optional(more) : more;
  };
  if (lowest === highest) return sequence(digits(lowest, lowest), rest(fromRest, toRest));
  const inner = [lowTight ? lowest + 1 : lowest, highTight ? highest - 1 : highest] as const;
  const options: Expression[] = [];
  if (lowTight) options.push(sequence(digits(lowest, lowest), rest(fromRest, undefined)));
  if (inner[0] <= inner[1]) options.push(sequence(digits(...inner), rest(undefined, undefined)));
  if (highTight) options.push(sequence(digits(highest, highest), rest(undefined, toRest)));
  return choiceOf(options);
}

const isZeros = (digits: string | undefined): boolean => digits === undefined || /^0*$/.test(digits);
const isNines = (digits: string | undefined): boolean => digits === undefined || /^9*$/.test(digits);

/** Integers in a closed interval, without leading zeros. */
function integers(from: string, to: string): Expression {
  if (from.length === to.length) return fixedDigits(from, to);
  const options = [fixedDigits(from, '9'.repeat(from.length))];
  if (from.length + 1 < to.length)
    options.push(sequence(digits(1, 9), repeat(digits(0, 9), from.length, to.length - 2)));
  options.push(fixedDigits(`1${'0'.repeat(to.length - 1)}`, to));
  return choiceOf(options);
}

/** Digit strings of the same length between two bounds. */
function fixedDigits(from: string, to: string): Expression {
  if (from === '') return empty;
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
  return choiceOf(options);
}

function digits(from: number, to: number): Expression {
  return from === to ? literal(String(from)) : characterClass([[0x30 + from, 0x30 + to]]);
}
