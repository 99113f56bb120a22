// The values of arguments that are written without quotes: the schema of the argument says what a text means.

import { parseJson } from '../../../base/json-values.ts';
import { readElementValue } from '../tool-calls/element-value.ts';
import { isShallow } from '../tool-calls/read-call.ts';

/** The value of an argument, by the schema of the arguments of its tool. */
export function readArgument(text: string, parameters: unknown, name: string): unknown {
  const schema = ownValue(ownValue(parameters, 'properties'), name);
  const types = typesOf(schema);
  // A grammar that holds calls writes what a schema without types allows.
  const saysMore = ['enum', 'const', 'oneOf', '$ref', 'properties', 'items'].some((key) => ownValue(schema, key));
  return types.length === 0 && saysMore ? readElementValue(text, schema) : readTypedValue(text, types);
}

/** The types that a schema allows; empty if it does not say. */
function typesOf(schema: unknown): readonly string[] {
  const choices = ownValue(schema, 'anyOf');
  const schemas = Array.isArray(choices) && choices.length > 0 ? choices : [schema];
  return schemas.flatMap((choice) => toList(ownValue(choice, 'type')));
}

/** The most specific type that fits wins, also between blanks. What fits none is a text. */
function readTypedValue(text: string, types: readonly string[]): unknown {
  if (text.toLowerCase() === 'null') return null;
  for (const [type, read] of readers) {
    if (!types.includes(type)) continue;
    const value = read(text.trim());
    if (value !== undefined) return value;
    // A boolean that is neither is false, unless it can be something else.
    if (types.length === 1) return type === 'boolean' ? false : text;
  }
  return text;
}

const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/** From the most specific type to the least. */
const readers: readonly (readonly [string, (text: string) => unknown])[] = [
  ['boolean', (text) => ({ true: true, false: false })[text.toLowerCase()]],
  ['integer', (text) => (/^[+-]?\d+$/.test(text) ? Number(text) : undefined)],
  ['number', (text) => (decimal.test(text) && Number.isFinite(Number(text)) ? Number(text) : undefined)],
  ['array', (text) => readJson(text, '[')],
  ['object', (text) => readJson(text, '{')],
];

function readJson(text: string, opening: string): unknown {
  return text.startsWith(opening) && isShallow(text) ? parseJson(text) : undefined;
}

function ownValue(value: unknown, key: string): unknown {
  const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, key);
  return isObject ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
}

function toList(value: unknown): readonly string[] {
  const list = Array.isArray(value) ? value : [value];
  return list.filter((item) => typeof item === 'string');
}
