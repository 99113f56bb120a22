// The dialect of OpenAI: errors are objects with a type, streams are server-sent events that end with [DONE].

import type { ErrorCode, HearthError } from '../../../base/errors.ts';
import type { ApiDialect } from '../../http/dialect.ts';
import { eventStream, frameData, sdkStatusOf } from '../sdk-conventions.ts';
import { OpenAiErrorResponseBody } from './error-schema.ts';

export const openAiPrefix = '/v1';

// Agents recognize this code, and shorten their conversation.
const codeOf = (code: ErrorCode): string => (code === 'prompt_too_long' ? 'context_length_exceeded' : code);

const toErrorBody = ({ code, message }: HearthError): OpenAiErrorResponseBody => ({
  error: { message, type: typeOf(sdkStatusOf(code)), param: null, code: codeOf(code) },
});

function typeOf(status: number): OpenAiErrorResponseBody['error']['type'] {
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
