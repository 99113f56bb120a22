// JSON values in schemas: size checks, comparison, and conversion to expressions.

import { type Expression, literal, sequence, whiteSpace } from '../gbnf/expression.ts';
import { grammarLimits } from '../limits/limits.ts';
import { schemaError } from '../limits/schema-error.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

interface DocumentSize {
  readonly values: number;
  /** The length of all strings and names. */
  readonly characters: number;
}

/** Throws if the schema is not JSON or exceeds a limit. */
export function checkDocument(document: unknown): DocumentSize {
  let values = 0;
  let characters = 0;
  const pending: { readonly value: unknown; readonly depth: number }[] = [{ value: document, depth: 0 }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { value, depth } = next;
    values++;
    characters += lengthOf(value);
    if (values > grammarLimits.values) throw schemaError('', `has more than ${grammarLimits.values} values`);
    if (characters > grammarLimits.textLength)
      throw schemaError('', `has more than ${grammarLimits.textLength} characters`);
    if (depth > grammarLimits.depth) throw schemaError('', `is nested more than ${grammarLimits.depth} levels deep`);
    if (isContainer(value)) for (const member of membersOf(value)) pending.push({ value: member, depth: depth + 1 });
    else if (!isScalar(value)) throw schemaError('', `contains a value that is not JSON: ${typeof value}`);
  }
  return { values, characters };
}

function membersOf(value: object): readonly unknown[] {
  const members = Array.isArray(value) ? value : Object.values(value);
  // No copy of a list with millions of items.
  if (members.length > grammarLimits.values) throw schemaError('', `has more than ${grammarLimits.values} values`);
  return members;
}

/** The characters of a string, or of the names in an object. */
function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  return isContainer(value) && !Array.isArray(value) ? Object.keys(value).join('').length : 0;
}

function isScalar(value: unknown): boolean {
  return (
    value === null ||
    typeof value === 'boolean' ||
    typeof value === 'string' ||
    (typeof value === 'number' && Number.isFinite(value))
  );
}

function isContainer(value: unknown): value is object {
  if (Array.isArray(value)) return true;
  if (!isJsonObject(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/** Equal values have the same text, regardless of the order of members. */
export function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value === 0 ? 0 : value) ?? 'null';
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalText(value[key])}`);
  return `{${members.join(',')}}`;
}

/** Matches exactly this value, with optional white space in objects and arrays. */
export function valueExpression(value: unknown): Expression {
  if (Array.isArray(value)) return enclosed('[', value.map(valueExpression), ']');
  if (!isJsonObject(value)) return literal(JSON.stringify(value));
  const members = Object.entries(value).map(([key, member]) => memberExpression(key, valueExpression(member)));
  return enclosed('{', members, '}');
}

export function memberExpression(key: string, value: Expression): Expression {
  return sequence(literal(`${JSON.stringify(key)}:`), whiteSpace, value);
}

export const comma: Expression = sequence(literal(','), whiteSpace);

function enclosed(open: string, items: readonly Expression[], close: string): Expression {
  if (items.length === 0) return sequence(literal(open), whiteSpace, literal(close));
  const separated = items.flatMap((item, index) => (index === 0 ? [item] : [comma, item]));
  return sequence(literal(open), whiteSpace, ...separated, whiteSpace, literal(close));
}
