// Reads values that no schema checks. Errors name the place of the value in the request.

import { HearthError } from '../../../base/errors.ts';
import { isObject } from '../../../base/json-values.ts';

export type Fields = Readonly<Record<string, unknown>>;

export function stringOf(value: unknown, where: string): string {
  if (typeof value === 'string') return value;
  throw invalid(where, 'expected a string');
}

export function objectOf(value: unknown, where: string): Fields {
  if (isObject(value)) return value;
  throw invalid(where, 'expected an object');
}

export function invalid(where: string, reason: string): HearthError {
  return new HearthError('bad_request', `${where}: ${reason}`);
}

/** One text, or several. */
export function readTexts(given: unknown, where: string): readonly string[] {
  const texts: unknown = typeof given === 'string' ? [given] : given;
  if (Array.isArray(texts) && texts.length > 0 && texts.every((text) => typeof text === 'string')) return texts;
  throw invalid(where, 'expected a string, or an array of strings');
}
