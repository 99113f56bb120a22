// The functions of templates: those of Go, and those that Ollama adds for chat templates.

import { formatLocalTimestamp } from '../../../base/time/timestamp.ts';
import { printValue } from '../printing/format-value.ts';
import { sprintf } from '../printing/printf.ts';
import { escapeGoHtml, escapeQuery, escapeScript } from '../printing/quote.ts';
import type { Meter } from '../values/limits.ts';
import { isTrue, typeNameOf, type Value } from '../values/values.ts';
import { indexInto, lengthOf, sliceOf } from './collections.ts';
import { compare, isEqual, isEqualToAny } from './comparison.ts';
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
