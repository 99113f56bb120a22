// Where in a Modelfile an error of the server belongs.

import { ApiError, messageOf } from '../api/api-error.ts';

export interface PlacedError {
  readonly message: string;
  /** From 1; absent if the error is about the whole. */
  readonly line?: number;
}

/** Errors about the model that FROM names. */
const baseErrors = ['model_not_found', 'registry_failed', 'registry_denied', 'registry_invalid_response'];

export function placeError(error: unknown, modelfile: string): PlacedError {
  const text = messageOf(error);
  const [, line, message] = /^\(line (\d{1,9})\): (.*)$/s.exec(text) ?? [];
  if (message !== undefined) return { message, line: Number(line) };
  if (!(error instanceof ApiError) || !baseErrors.includes(error.code)) return { message: text };
  const index = modelfile.split('\n').findIndex((one) => /^\s*from\s/i.test(one));
  return index === -1 ? { message: text } : { message: text, line: index + 1 };
}
