// Prompts and inputs: a string, an array of strings, an array of token ids, or an array of those.

import { HearthError } from '../../../../base/errors.ts';
import { isCount } from '../../../../base/json-values.ts';

export type TextOrTokens = string | readonly number[];

/** `field` is for the error message. An empty array is an error. */
export function readTextsOrTokens(given: unknown, field: string): TextOrTokens[] {
  if (typeof given === 'string') return [given];
  if (Array.isArray(given) && given.length > 0) {
    if (given.every(isCount)) return [given];
    if (given.every((entry) => typeof entry === 'string' || isTokens(entry))) return given;
  }
  throw new HearthError(
    'bad_request',
    `invalid ${field}: expected a string, an array of strings, or arrays of token ids`,
  );
}

function isTokens(value: unknown): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every(isCount);
}
