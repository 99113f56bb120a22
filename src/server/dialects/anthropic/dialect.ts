// The dialect of Anthropic: errors are objects with a type and the id of the request, streams are server-sent events with
// names.

import type { HearthError } from '../../../base/errors.ts';
import { PromptTooLongError } from '../../../inference/model/prompt-too-long.ts';
import type { ApiDialect } from '../../http/dialect.ts';
import { eventStream, frameEvent, sdkStatusOf } from '../shared/sdk-conventions.ts';
import { AnthropicErrorResponseBody, type AnthropicErrorType } from './error-schema.ts';

export const anthropicPrefix = '/v1/messages';

const typeOfStatus: Readonly<Record<number, AnthropicErrorType>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
};

function typeOf(status: number): AnthropicErrorType {
  return typeOfStatus[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
}

const toErrorBody = (error: HearthError, requestId?: string): AnthropicErrorResponseBody => ({
  type: 'error',
  error: { type: typeOf(sdkStatusOf(error.code)), message: messageFor(error) },
  request_id: requestId ?? null,
});

// Agents recognize this text, and shorten their conversation.
function messageFor(error: HearthError): string {
  if (!(error instanceof PromptTooLongError)) return error.message;
  return `prompt is too long: ${error.tokens} tokens > ${error.maximum} maximum`;
}

export const anthropicDialect: ApiDialect = {
  name: 'Anthropic',
  errorSchema: AnthropicErrorResponseBody,
  statusOf: sdkStatusOf,
  toErrorBody,
  framing: {
    ...eventStream,
    frame: frameEvent,
    frameError: (error, requestId) => frameEvent(toErrorBody(error, requestId)),
    end: '',
  },
};
