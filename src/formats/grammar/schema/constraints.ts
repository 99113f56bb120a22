// Merges the constraints of several schemas on strings and on numbers.

import { childPath, schemaError } from '../limits/schema-error.ts';
import { formatPattern } from '../pattern/formats.ts';
import { parsePattern } from '../pattern/parse-pattern.ts';
import { anyText, type Pattern } from '../pattern/pattern.ts';
import type { SchemaPart } from './alternatives.ts';
import type { JsonObject } from './json-value.ts';
import { notPattern, notTexts } from './keywords.ts';
import { isEnforcedMultiple } from './multiple-expression.ts';
import type { Bound, NumberConstraints } from './number-expression.ts';
import type { StringConstraints } from './string-expression.ts';

/** The largest lower bound and the smallest upper one. */
export function boundsOf(
  parts: readonly SchemaPart[],
  lower: string,
  upper: string,
): { readonly min: number; readonly max: number } {
  const all = (keyword: string): number[] =>
    parts.flatMap(({ schema }) => (typeof schema[keyword] === 'number' ? [schema[keyword]] : []));
  return { min: Math.max(0, ...all(lower)), max: Math.min(Number.POSITIVE_INFINITY, ...all(upper)) };
}

export function stringConstraints(parts: readonly SchemaPart[]): StringConstraints {
  return {
    ...boundsOf(parts, 'minLength', 'maxLength'),
    patterns: parts.flatMap(patternsOf),
    excluded: parts.flatMap(excludedTexts),
  };
}

export function excludedTexts({ schema }: SchemaPart): readonly string[] {
  return (schema[notTexts] ?? []) as readonly string[];
}

export function patternsOf({ schema, path }: SchemaPart): readonly Pattern[] {
  const { pattern, format, [notPattern]: excluded } = schema;
  const found = typeof format === 'string' ? formatPattern(format) : undefined;
  return [
    ...(typeof pattern === 'string' ? [parsePattern(pattern, childPath(path, 'pattern'))] : []),
    ...(found ? [found] : []),
    ...(typeof excluded === 'string' ? [negatePattern(parsePattern(excluded, path))] : []),
  ];
}

/** The pattern has no lookaheads. */
function negatePattern({ node, isFramed }: Pattern): Pattern {
  return { node: anyText, lookaheads: [{ negated: true, node, isFramed }] };
}

const unbounded: Bound = { value: Number.NEGATIVE_INFINITY, exclusive: false };

/** Number formats, and the magnitude of their smallest value. */
const integerFormats: Readonly<Record<string, number>> = { int32: 2 ** 31, int64: 2 ** 63 };

function integerFormatLimit(schema: JsonObject): number | undefined {
  const format = String(schema['format']);
  return Object.hasOwn(integerFormats, format) ? integerFormats[format] : undefined;
}

/** Whether a number must be an integer even if the type is `number`. */
export function requiresInteger({ schema }: SchemaPart): boolean {
  return Number.isInteger(schema['multipleOf']) || integerFormatLimit(schema) !== undefined;
}

/** The least common multiple of all values of `multipleOf` that are enforced. */
export function multipleOf(parts: readonly SchemaPart[], path: string): number {
  const values = parts.map(({ schema }) => schema['multipleOf']).filter(isEnforcedMultiple);
  const multiple = values.reduce((a, b) => (a / divisor(a, b)) * b, 1);
  if (!isEnforcedMultiple(multiple)) throw schemaError(path, 'combines too many values of multipleOf');
  return multiple;
}

const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));

export function numberConstraints(parts: readonly SchemaPart[]): Pick<NumberConstraints, 'min' | 'max'> {
  const lower = parts.flatMap(({ schema }) => boundOf(schema['minimum'], schema['exclusiveMinimum']));
  const upper = parts.flatMap(({ schema }) => boundOf(schema['maximum'], schema['exclusiveMaximum']));
  for (const magnitude of parts.flatMap(({ schema }) => integerFormatLimit(schema) ?? [])) {
    lower.push({ value: -magnitude, exclusive: false });
    upper.push({ value: magnitude, exclusive: true });
  }
  // Upper bounds are lower bounds of the negated number.
  const max = upper.map(({ value, exclusive }) => ({ value: -value, exclusive })).reduce(stricter, unbounded);
  return { min: lower.reduce(stricter, unbounded), max: { ...max, value: -max.value } };
}

/** Before draft 6, `exclusiveMinimum: true` made `minimum` exclusive. */
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
