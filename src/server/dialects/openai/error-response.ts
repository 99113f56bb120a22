// Failures in the shape that clients of the OpenAI dialect read.

import { type ErrorCode, type HearthError, toHearthError } from '../../../base/errors.ts';
import { statusOf } from '../../http/error-status.ts';
import type { OpenAiError } from './error-schema.ts';

/** Whatever is asked for under this path is answered in this dialect, also what is not there. */
export function isOpenAiPath(url: string): boolean {
  return /^\/v1(?:[/?]|$)/.test(url);
}

/** Clients of this dialect try again after a 500; a wrong option stays wrong. */
export function openAiStatusOf(code: ErrorCode): number {
  return code === 'bad_option' ? 400 : statusOf[code];
}

export function toOpenAiError({ code, message }: HearthError): OpenAiError {
  return { error: { message, type: typeOf(openAiStatusOf(code)), param: null, code: null } };
}

export function toOpenAiErrorOf(thrown: unknown): OpenAiError {
  return toOpenAiError(toHearthError(thrown));
}

function typeOf(status: number): OpenAiError['error']['type'] {
  if (status === 404) return 'not_found_error';
  return status >= 400 && status < 500 ? 'invalid_request_error' : 'api_error';
}
