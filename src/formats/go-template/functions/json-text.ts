// JSON as written by encoding/json of Go: compact, with sorted keys and HTML characters escaped.

import { type Meter, maxValueDepth } from '../values/limits.ts';
import { asJson, customText, type MapValue, sortedKeys, type Value } from '../values/values.ts';

interface Writer {
  readonly meter: Meter | undefined;
  readonly depth: number;
}

export function toGoJson(value: Value, meter?: Meter): string {
  return write(value, { meter, depth: 0 });
}

function write(value: Value, { meter, depth }: Writer): string {
  if (depth > maxValueDepth) throw new Error(`a value is nested more than ${maxValueDepth} levels deep`);
  meter?.step();
  const text = customText(value, asJson) ?? writePlain(value, { meter, depth: depth + 1 });
  meter?.text(text.length);
  return text;
}

function writePlain(value: Value, writer: Writer): string {
  switch (typeof value) {
    case 'string':
      return quoteJson(value);
    case 'number':
      return Object.is(value, -0) ? '-0' : JSON.stringify(value);
    case 'boolean':
    case 'bigint':
      return String(value);
    case 'object':
      if (value === null) return 'null';
      if (Array.isArray(value)) return `[${value.map((item: Value) => write(item, writer)).join(',')}]`;
      return writeMap(value as MapValue, writer);
    default:
      return 'null';
  }
}

function writeMap(map: MapValue, writer: Writer): string {
  return `{${sortedKeys(map)
    .map((key) => `${quoteJson(key)}:${write(map[key], writer)}`)
    .join(',')}}`;
}

// Go replaces lone surrogates with U+FFFD.
function quoteJson(text: string): string {
  return JSON.stringify(text.replace(/\p{Surrogate}/gu, '\uFFFD')).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
