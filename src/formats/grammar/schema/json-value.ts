// JSON values: what they are, when two are the same, and how a grammar writes one.

import { type Expression, sequence, text, whiteSpace } from '../gbnf/expression.ts';
import { limits } from '../limits.ts';
import { schemaError } from '../schema-error.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Throws for whatever no JSON text could have given, or is larger than a schema may be. */
export function checkDocument(document: unknown): void {
  let values = 0;
  let characters = 0;
  const waiting: { readonly value: unknown; readonly depth: number }[] = [{ value: document, depth: 0 }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value, depth } = next;
    values++;
    characters += lengthOf(value);
    if (values > limits.values) throw schemaError('', `has more than ${limits.values} values`);
    if (characters > limits.textLength) throw schemaError('', `has more than ${limits.textLength} characters`);
    if (depth > limits.depth) throw schemaError('', `is nested more than ${limits.depth} levels deep`);
    if (isContainer(value))
      for (const member of Object.values(value)) waiting.push({ value: member, depth: depth + 1 });
    else if (!isScalar(value)) throw schemaError('', `holds something that is not JSON: ${typeof value}`);
  }
}

/** Characters of a string, or of the names in an object. */
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

/** The same text for the same value, whatever the order of its members. */
export function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value === 0 ? 0 : value) ?? 'null';
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalText(value[key])}`);
  return `{${members.join(',')}}`;
}

/** Exactly this value, with white space where objects and arrays have it. */
export function valueExpression(value: unknown): Expression {
  if (Array.isArray(value)) return enclosed('[', value.map(valueExpression), ']');
  if (!isJsonObject(value)) return text(JSON.stringify(value));
  const members = Object.entries(value).map(([key, member]) => memberExpression(key, valueExpression(member)));
  return enclosed('{', members, '}');
}

export function memberExpression(key: string, value: Expression): Expression {
  return sequence(text(`${JSON.stringify(key)}:`), whiteSpace, value);
}

export const comma: Expression = sequence(text(','), whiteSpace);

function enclosed(open: string, items: readonly Expression[], close: string): Expression {
  if (items.length === 0) return sequence(text(open), whiteSpace, text(close));
  const separated = items.flatMap((item, index) => (index === 0 ? [item] : [comma, item]));
  return sequence(text(open), whiteSpace, ...separated, whiteSpace, text(close));
}
