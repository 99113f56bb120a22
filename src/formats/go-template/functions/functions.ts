// The functions of templates: those of Go, and those that Ollama adds for chat templates.

import { formatLocalTimestamp } from '../../../base/time/timestamp.ts';
import { printValue } from '../printing/format-value.ts';
import { sprintf } from '../printing/printf.ts';
import { escapeGoHtml, escapeQuery, escapeScript } from '../printing/quote.ts';
import type { Meter } from '../values/limits.ts';
import {
  compareText,
  entryOf,
  isTrue,
  kindOf,
  type ListValue,
  type MapValue,
  sliceList,
  typeNameOf,
  type Value,
} from '../values/values.ts';
import { toGoJson } from './json-text.ts';
import { toTypeScriptType } from './typescript-type.ts';

export interface CallContext {
  readonly meter: Meter;
  /** The time in milliseconds since the epoch. */
  readonly now: number;
}

interface TemplateFunction {
  readonly min: number;
  readonly max: number;
  readonly run: (args: readonly Value[], context: CallContext) => Value;
}

const exactly = (count: number, run: TemplateFunction['run']): TemplateFunction => ({ min: count, max: count, run });
const atLeast = (min: number, run: TemplateFunction['run']): TemplateFunction => ({
  min,
  max: Number.POSITIVE_INFINITY,
  run,
});

/** Sprint of Go: a space between operands when neither is a string. */
function sprint(args: readonly Value[], meter: Meter): string {
  let text = '';
  args.forEach((arg, index) => {
    if (index > 0 && typeof arg !== 'string' && typeof args[index - 1] !== 'string') text += ' ';
    text += printValue(arg, meter);
  });
  meter.text(text.length);
  return text;
}

function sprintln(args: readonly Value[], meter: Meter): string {
  const text = `${args.map((arg) => printValue(arg, meter)).join(' ')}\n`;
  meter.text(text.length);
  return text;
}

function formatWith([format, ...args]: readonly Value[], meter: Meter): string {
  if (typeof format !== 'string') throw new Error(`wrong type for value; expected string; got ${typeNameOf(format)}`);
  return sprintf(format, args, meter);
}

// A character becomes at most nine characters, for example three times %F0.
const maxEscape = 9;

const escaping = (makeSafe: (text: string) => string): TemplateFunction =>
  atLeast(0, (args, { meter }) => {
    const text = sprint(
      args.map((arg) => arg ?? '<no value>'),
      meter,
    );
    meter.text(text.length * maxEscape);
    return makeSafe(text);
  });

function failCall([target]: readonly Value[]): never {
  throw new Error(
    target === null || target === undefined ? 'call of nil' : `non-function of type ${typeNameOf(target)}`,
  );
}

/** `and` and `or` are only listed here: the evaluator implements their short circuit. */
const table: Readonly<Record<string, TemplateFunction>> = {
  and: atLeast(1, (args) => args[0]),
  or: atLeast(1, (args) => args[0]),
  not: exactly(1, ([value]) => !isTrue(value)),
  len: exactly(1, ([value], { meter }) => lengthOf(value, meter)),
  index: atLeast(1, ([value, ...keys]) => indexInto(value, keys)),
  slice: atLeast(1, ([value, ...indexes], { meter }) => sliceOf(value, indexes, meter)),
  call: atLeast(1, failCall),
  print: atLeast(0, (args, { meter }) => sprint(args, meter)),
  printf: atLeast(1, (args, { meter }) => formatWith(args, meter)),
  println: atLeast(0, (args, { meter }) => sprintln(args, meter)),
  html: escaping(escapeGoHtml),
  js: escaping(escapeScript),
  urlquery: escaping(escapeQuery),
  eq: atLeast(1, ([first, ...others]) => isEqualToAny(first, others)),
  ne: exactly(2, ([a, b]) => !isEqual(a, b)),
  lt: exactly(2, ([a, b]) => compare(a, b) < 0),
  le: exactly(2, ([a, b]) => compare(a, b) <= 0),
  gt: exactly(2, ([a, b]) => compare(a, b) > 0),
  ge: exactly(2, ([a, b]) => compare(a, b) >= 0),
  json: exactly(1, ([value], { meter }) => toGoJson(value, meter)),
  currentDate: exactly(0, (_, { now }) => currentDate(now)),
  yesterdayDate: exactly(0, (_, { now }) => yesterdayDate(now)),
  toTypeScriptType: exactly(1, ([value]) => toTypeScriptType(value)),
};

export function isFunction(name: string): boolean {
  return Object.hasOwn(table, name);
}

export function findFunction(name: string): TemplateFunction {
  const found = isFunction(name) ? table[name] : undefined;
  if (found === undefined) throw new Error(`function ${JSON.stringify(name)} not defined`);
  return found;
}

export function checkArity(name: string, count: number): void {
  const { min, max } = findFunction(name);
  if (count >= min && count <= max) return;
  throw new Error(`wrong number of args for ${name}: want ${max === min ? '' : 'at least '}${min} got ${count}`);
}

const hour = 3_600_000;
const lengthOfDate = 'YYYY-MM-DD'.length;

function currentDate(now: number): string {
  return formatLocalTimestamp(now).slice(0, lengthOfDate);
}

/** Computed from noon, because a day can have 23 or 25 hours. */
function yesterdayDate(now: number): string {
  const hours = Number(formatLocalTimestamp(now).slice(11, 13));
  return formatLocalTimestamp(now - (hours + 12) * hour).slice(0, lengthOfDate);
}

// eq, ne, lt, le, gt and ge. Go compares only values of the same kind; int and float are different kinds.
function isEqualToAny(first: Value, others: readonly Value[]): boolean {
  if (others.length === 0) throw new Error('missing argument for comparison');
  return others.some((other) => isEqual(first, other));
}

function isEqual(a: Value, b: Value): boolean {
  const kind = kindOf(a);
  const other = kindOf(b);
  if (kind === 'nil' || other === 'nil') return kind === other;
  const isBasic = kind !== 'list' && kind !== 'map';
  if (isBasic && kind === other) return a === b;
  if (isBasic || (other !== 'list' && other !== 'map')) throw new Error('incompatible types for comparison');
  throw new Error(`non-comparable types ${typeNameOf(a)}, ${typeNameOf(b)}`);
}

function compare(a: Value, b: Value): number {
  for (const value of [a, b]) {
    if (!['int', 'float', 'string'].includes(kindOf(value))) throw new Error('invalid type for comparison');
  }
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (typeof a === 'bigint' && typeof b === 'bigint') return a < b ? -1 : Number(a > b);
  // NaN does not occur: JSON cannot represent it.
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : Number(a > b);
  throw new Error('incompatible types for comparison');
}

// len, index and slice. Strings are measured in bytes of UTF-8, as in Go.
// Copying the elements of a list is much cheaper than visiting them.
const itemsPerStep = 64;

function lengthOf(value: Value, meter: Meter): bigint {
  switch (kindOf(value)) {
    case 'nil':
      throw new Error('len of nil pointer');
    case 'string':
      return BigInt(Buffer.byteLength(value as string));
    case 'list':
      return BigInt((value as ListValue).length);
    case 'map': {
      const { length } = Object.keys(value as MapValue);
      meter.step(length);
      return BigInt(length);
    }
    default:
      throw new Error(`len of type ${typeNameOf(value)}`);
  }
}

/** `index x 1 "a"` is x[1]["a"]; a missing key returns nil. */
function indexInto(value: Value, keys: readonly Value[]): Value {
  if (value === null || value === undefined) throw new Error('index of untyped nil');
  let current: Value = value;
  for (const key of keys) current = indexOnce(current, key);
  return current;
}

function indexOnce(value: Value, key: Value): Value {
  switch (kindOf(value)) {
    case 'nil':
      throw new Error('index of nil pointer');
    case 'string':
      return BigInt(itemAt(Buffer.from(value as string), key) as number);
    case 'list':
      return itemAt(value as ListValue, key) ?? null;
    case 'map':
      if (kindOf(key) === 'nil') throw new Error('value is nil; should be of type string');
      if (typeof key !== 'string') throw new Error(`value has type ${typeNameOf(key)}; should be string`);
      return entryOf(value as MapValue, key);
    default:
      throw new Error(`can't index item of type ${typeNameOf(value)}`);
  }
}

function itemAt<T>(items: ArrayLike<T>, key: Value): T | undefined {
  const index = toIndex(key, items.length);
  if (index === items.length) throw new Error(`index out of range: ${index}`);
  return items[index];
}

function toIndex(key: Value, maxIndex: number): number {
  if (kindOf(key) === 'nil') throw new Error('cannot index slice/array with nil');
  if (typeof key !== 'bigint') throw new Error(`cannot index slice/array with type ${typeNameOf(key)}`);
  if (key < 0n || key > maxIndex) throw new Error(`index out of range: ${key}`);
  return Number(key);
}

/** `slice x 1 2` is x[1:2]. A split character becomes U+FFFD, because JavaScript strings have no bytes. */
function sliceOf(value: Value, indexes: readonly Value[], meter: Meter): Value {
  if (value === null || value === undefined) throw new Error('slice of untyped nil');
  if (indexes.length > 3) throw new Error(`too many slice indexes: ${indexes.length}`);
  const isText = typeof value === 'string';
  if (!isText && !Array.isArray(value)) throw new Error(`can't slice item of type ${typeNameOf(value)}`);
  if (isText && indexes.length === 3) throw new Error('cannot 3-index slice a string');
  const items = isText ? Buffer.from(value) : (value as ListValue);
  const [from = 0, to = items.length, max = items.length] = indexes.map((index) => toIndex(index, items.length));
  if (from > to) throw new Error(`invalid slice index: ${from} > ${to}`);
  if (to > max) throw new Error(`invalid slice index: ${to} > ${max}`);
  if (Buffer.isBuffer(items)) {
    meter.text(to - from);
    return items.subarray(from, to).toString();
  }
  meter.step(Math.floor((to - from) / itemsPerStep));
  return sliceList(items as ListValue, from, to);
}
