// A model as a request names it: the parsed name for the store, and the caller's own text for responses and messages.

import { HearthError } from '../base/errors.ts';
import { type ModelName, parseModelName } from './name.ts';

export interface RequestedModel {
  readonly name: ModelName;
  readonly text: string;
}

/** Throws `bad_request`: with `message` if it is given, because some endpoints have error texts of their own. */
export function parseRequestedModel(given: string, message?: string): RequestedModel {
  const text = given.trim();
  try {
    if (text === '') throw new HearthError('bad_request', 'model is required');
    return { name: parseModelName(text), text };
  } catch (error) {
    throw message === undefined ? error : new HearthError('bad_request', message);
  }
}
