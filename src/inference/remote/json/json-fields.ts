// Reads fields of JSON objects that a remote sent. Every field may be absent or of another type.

import { isObject } from '../../../base/json-values.ts';
import { JsonScanner, maxJsonDepth } from '../../../base/text/json-scanner.ts';

export type WireObject = Readonly<Record<string, unknown>>;

const nothing: WireObject = {};
const openBrace = 0x7b;
const openBracket = 0x5b;

/** Empty for anything that is not an object. */
export function toObject(value: unknown): WireObject {
  return isObject(value) ? value : nothing;
}

export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A number of tokens, or of nanoseconds. */
export function toCount(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}

// Up to here, only the brackets are counted. Most texts are the part of an answer that has one token.
const maxShortLength = 16 * 1024;
const maxValues = 50_000;

/** Undefined for a text that is not a JSON object, and for one that has too many values or levels. */
export function parseWireObject(text: string): WireObject | undefined {
  try {
    if (!isPlain(text)) new JsonScanner({ maxValues }).addText(text);
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A short text that cannot have too many levels, because it has no more brackets. */
function isPlain(text: string): boolean {
  if (text.length > maxShortLength) return false;
  let brackets = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === openBrace || code === openBracket) brackets++;
  }
  return brackets <= maxJsonDepth;
}
