// The dialect of OpenAI: errors are objects with a type, streams are server-sent events that end with [DONE].

import type { ErrorCode, HearthError } from '../../../base/errors.ts';
import type { ApiDialect } from '../../http/dialect.ts';
import { statusOf } from '../../http/error-status.ts';
import { OpenAiErrorResponseBody } from './error-schema.ts';

export const openAiPrefix = '/v1';

// Clients of this dialect repeat a request after a 500, which does not help with a wrong option.
const openAiStatusOf = (code: ErrorCode): number => (code === 'bad_option' ? 400 : statusOf[code]);

const toErrorBody = ({ code, message }: HearthError): OpenAiErrorResponseBody => ({
  error: { message, type: typeOf(openAiStatusOf(code)), param: null, code },
});

function typeOf(status: number): OpenAiErrorResponseBody['error']['type'] {
  if (status === 404) return 'not_found_error';
  return status >= 400 && status < 500 ? 'invalid_request_error' : 'api_error';
}

const frame = (object: object): string => `data: ${JSON.stringify(object)}\n\n`;

export const openAiDialect: ApiDialect = {
  name: 'OpenAI',
  errorSchema: OpenAiErrorResponseBody,
  statusOf: openAiStatusOf,
  toErrorBody,
  framing: {
    contentType: 'text/event-stream',
    headers: { 'cache-control': 'no-cache' },
    frame,
    frameError: (error) => frame(toErrorBody(error)),
    end: 'data: [DONE]\n\n',
  },
};
