// The forms in which prompts and inputs come: a text, a list of texts, the tokens of a text, a list of such.

import { HearthError } from '../../../../base/errors.ts';

export type TextOrTokens = string | readonly number[];

/** `field` for the message. An empty list is none of the forms. */
export function readTextsOrTokens(given: unknown, field: string): TextOrTokens[] {
  if (typeof given === 'string') return [given];
  if (Array.isArray(given) && given.length > 0) {
    if (given.every(isToken)) return [given];
    if (given.every((entry) => typeof entry === 'string' || isTokens(entry))) return given;
  }
  throw new HearthError('bad_request', `invalid ${field}: it is a text, a list of texts, or lists of tokens`);
}

function isToken(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isTokens(value: unknown): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every(isToken);
}
