// The constraints of several schemas on strings and on numbers, as one.

import { formatPattern } from '../pattern/formats.ts';
import { parsePattern } from '../pattern/parse-pattern.ts';
import type { Pattern } from '../pattern/pattern.ts';
import { pathOf } from '../schema-error.ts';
import type { Part } from './alternatives.ts';
import type { JsonObject } from './json-value.ts';
import type { Bound, NumberConstraints } from './number-grammar.ts';
import type { StringConstraints } from './string-grammar.ts';

/** The largest lower bound and the smallest upper one. */
export function boundsOf(
  parts: readonly Part[],
  lower: string,
  upper: string,
): { readonly least: number; readonly most: number } {
  const all = (keyword: string): number[] =>
    parts.flatMap(({ schema }) => (typeof schema[keyword] === 'number' ? [schema[keyword]] : []));
  return { least: Math.max(0, ...all(lower)), most: Math.min(Number.POSITIVE_INFINITY, ...all(upper)) };
}

export function stringConstraints(parts: readonly Part[]): StringConstraints {
  return { ...boundsOf(parts, 'minLength', 'maxLength'), patterns: parts.flatMap(patternsOf) };
}

export function patternsOf({ schema, path }: Part): readonly Pattern[] {
  const { pattern, format } = schema;
  const found = typeof format === 'string' ? formatPattern(format) : undefined;
  return [
    ...(typeof pattern === 'string' ? [parsePattern(pattern, pathOf(path, 'pattern'))] : []),
    ...(found ? [found] : []),
  ];
}

const unbounded: Bound = { value: Number.NEGATIVE_INFINITY, exclusive: false };

/** Formats of numbers, and the largest magnitude of a negative one. */
const wholeFormats: Readonly<Record<string, number>> = { int32: 2 ** 31, int64: 2 ** 63 };

function wholeFormat(schema: JsonObject): number | undefined {
  const format = String(schema['format']);
  return Object.hasOwn(wholeFormats, format) ? wholeFormats[format] : undefined;
}

/** Whether a number has to be whole, whatever its type says. */
export function asksForWhole({ schema }: Part): boolean {
  return schema['multipleOf'] === 1 || wholeFormat(schema) !== undefined;
}

export function numberConstraints(parts: readonly Part[]): Omit<NumberConstraints, 'integer'> {
  const lower = parts.flatMap(({ schema }) => boundOf(schema['minimum'], schema['exclusiveMinimum']));
  const upper = parts.flatMap(({ schema }) => boundOf(schema['maximum'], schema['exclusiveMaximum']));
  for (const largest of parts.flatMap(({ schema }) => wholeFormat(schema) ?? [])) {
    lower.push({ value: -largest, exclusive: false });
    upper.push({ value: largest, exclusive: true });
  }
  // Upper bounds are lower bounds of the number turned round.
  const most = upper.map(({ value, exclusive }) => ({ value: -value, exclusive })).reduce(stricter, unbounded);
  return { least: lower.reduce(stricter, unbounded), most: { ...most, value: -most.value } };
}

/** Before draft 6, `exclusiveMinimum: true` said how to read `minimum`. */
function boundOf(inclusive: unknown, exclusive: unknown): Bound[] {
  const bounds: Bound[] = [];
  if (typeof inclusive === 'number') bounds.push({ value: inclusive, exclusive: exclusive === true });
  if (typeof exclusive === 'number') bounds.push({ value: exclusive, exclusive: true });
  return bounds;
}

function stricter(a: Bound, b: Bound): Bound {
  if (a.value !== b.value) return a.value > b.value ? a : b;
  return a.exclusive ? a : b;
}
