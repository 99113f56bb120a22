// The dialect of OpenAI: errors are objects with a type, streams are server-sent events that end with [DONE].

import type { ErrorCode, HearthError } from '../../../base/errors.ts';
import type { ApiDialect } from '../../http/dialect.ts';
import { OpenAiErrorResponseBody } from './openai-error-schema.ts';
import { eventStream, frameData, sdkStatusOf } from './sdk-conventions.ts';

export const openAiPrefix = '/v1';

// Agents recognize the first code, and shorten their conversation. The others are what OpenAI's own servers send.
const openAiCodes: Readonly<Partial<Record<ErrorCode, string>>> = {
  prompt_too_long: 'context_length_exceeded',
  unauthorized: 'invalid_api_key',
  rate_limited: 'rate_limit_exceeded',
};

const toErrorBody = ({ code, message }: HearthError): OpenAiErrorResponseBody => ({
  error: { message, type: typeOf(code), param: null, code: openAiCodes[code] ?? code },
});

function typeOf(code: ErrorCode): OpenAiErrorResponseBody['error']['type'] {
  if (code === 'missing_scope') return 'permission_error';
  if (code === 'rate_limited') return 'rate_limit_error';
  const status = sdkStatusOf(code);
  if (status === 404) return 'not_found_error';
  return status >= 400 && status < 500 ? 'invalid_request_error' : 'api_error';
}

export const openAiDialect: ApiDialect = {
  name: 'OpenAI',
  errorSchema: OpenAiErrorResponseBody,
  statusOf: sdkStatusOf,
  toErrorBody,
  framing: {
    ...eventStream,
    frame: frameData,
    frameError: (error) => frameData(toErrorBody(error)),
    end: 'data: [DONE]\n\n',
  },
};
