// Responses are part of the OpenAI dialect. Their streams have named events and no [DONE].

import type { ApiDialect } from '../../../http/dialect.ts';
import { openAiDialect } from '../../shared/openai-dialect.ts';
import type { OpenAiErrorResponseBody } from '../../shared/openai-error-schema.ts';
import { frameEvent } from '../../shared/sdk-conventions.ts';

export const responsesPrefix = '/v1/responses';

export const responsesDialect: ApiDialect = {
  ...openAiDialect,
  framing: {
    ...openAiDialect.framing,
    frame: frameEvent,
    // Failures are events already. This is for errors of the server itself.
    frameError(error) {
      const { code, message, param } = (openAiDialect.toErrorBody(error) as OpenAiErrorResponseBody).error;
      return frameEvent({ type: 'error', code, message, param, sequence_number: 0 });
    },
    end: '',
  },
};
