// Parses an object with bare keys: `{city:<escape>Paris<escape>,days:[1,2],far:{a:true}}`. Models also write texts in
// quotes of JSON, or in single quotes.

import { isObject, parseJson } from '../../../base/json-values.ts';
import { maxDepth } from './balance-scanner.ts';

interface Cursor {
  readonly text: string;
  readonly quote: string;
  at: number;
  depth: number;
}

/** Undefined if the text is not an object in this notation. */
export function parseBareKeys(text: string, quote: string): Readonly<Record<string, unknown>> | undefined {
  const cursor: Cursor = { text, quote, at: 0, depth: 0 };
  try {
    const value = readValue(cursor);
    const isWhole = cursor.at === text.length && isObject(value);
    return isWhole ? (value as Record<string, unknown>) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function readValue(cursor: Cursor): unknown {
  if (skip(cursor, '{'))
    return Object.fromEntries(readItems(cursor, '}', () => [readKey(cursor), readValue(cursor)] as const));
  if (skip(cursor, '[')) return readItems(cursor, ']', () => readValue(cursor));
  return readText(cursor) ?? readWord(cursor);
}

function readItems<Item>(cursor: Cursor, end: string, readItem: () => Item): Item[] {
  if (++cursor.depth > maxDepth) throw new SyntaxError('values are nested too deeply');
  const items: Item[] = [];
  while (!skip(cursor, end)) {
    items.push(readItem());
    if (skip(cursor, end)) break;
    expect(cursor, ',');
  }
  cursor.depth--;
  return items;
}

function readKey(cursor: Cursor): string {
  const text = readText(cursor);
  const key = text ?? take(cursor, /[^:,{}[\]]*/y).trim();
  expect(cursor, ':');
  return key;
}

/** A text between quotes; undefined if there is none. */
function readText(cursor: Cursor): string | undefined {
  const { text, quote } = cursor;
  if (!skip(cursor, quote)) return readQuoted(cursor);
  const end = text.indexOf(quote, cursor.at);
  if (end === -1) throw new SyntaxError('a text does not end');
  const found = text.slice(cursor.at, end);
  cursor.at = end + quote.length;
  return found;
}

function readQuoted(cursor: Cursor): string | undefined {
  const json = take(cursor, /"(?:[^"\\]|\\.)*"/sy);
  if (json !== '') return JSON.parse(json) as string;
  const single = take(cursor, /'(?:[^'\\]|\\.)*'/sy);
  if (single === '') return undefined;
  // The usual quote can follow.
  skip(cursor, cursor.quote);
  return single.slice(1, -1);
}

/** A number or a literal. Anything else is a text without quotes. */
function readWord(cursor: Cursor): unknown {
  const word = take(cursor, /[^,{}[\]]*/y).trim();
  if (word === '') throw new SyntaxError('a value is missing');
  const value = parseJson(word);
  return value === undefined ? word : value;
}

function take(cursor: Cursor, pattern: RegExp): string {
  pattern.lastIndex = cursor.at;
  const found = pattern.exec(cursor.text)?.[0] ?? '';
  cursor.at += found.length;
  return found;
}

function skip(cursor: Cursor, expected: string): boolean {
  take(cursor, /\s*/y);
  const found = cursor.text.startsWith(expected, cursor.at);
  if (found) cursor.at += expected.length;
  return found;
}

function expect(cursor: Cursor, text: string): void {
  if (!skip(cursor, text)) throw new SyntaxError(`${text} is missing`);
}
