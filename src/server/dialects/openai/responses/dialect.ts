// Responses are part of the OpenAI dialect. Their streams have named events and no [DONE], and a prompt that is too long
// has the code that agents recognize.

import type { HearthError } from '../../../../base/errors.ts';
import type { ApiDialect } from '../../../http/dialect.ts';
import { frameEvent } from '../../sdk-conventions.ts';
import { openAiDialect } from '../dialect.ts';
import type { OpenAiErrorResponseBody } from '../error-schema.ts';

export const responsesPrefix = '/v1/responses';

function toErrorBody(error: HearthError): OpenAiErrorResponseBody {
  const body = openAiDialect.toErrorBody(error) as OpenAiErrorResponseBody;
  // Agents recognize this code, and shorten their conversation.
  return error.code === 'prompt_too_long' ? { error: { ...body.error, code: 'context_length_exceeded' } } : body;
}

export const responsesDialect: ApiDialect = {
  ...openAiDialect,
  toErrorBody,
  framing: {
    ...openAiDialect.framing,
    frame: frameEvent,
    // Failures are events already. This is for errors of the server itself.
    frameError(error) {
      const { code, message, param } = toErrorBody(error).error;
      return frameEvent({ type: 'error', code, message, param, sequence_number: 0 });
    },
    end: '',
  },
};
