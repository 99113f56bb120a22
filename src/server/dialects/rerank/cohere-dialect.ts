// The dialect of Cohere, of which only rerank is served: errors have a message at the top level. It has no streams.

import type { HearthError } from '../../../base/errors.ts';
import type { ApiDialect } from '../../http/dialect.ts';
import { openAiDialect } from '../shared/openai-dialect.ts';
import { CohereErrorResponseBody } from './error-schema.ts';

export const coherePrefix = '/v2';

const toErrorBody = ({ code, message }: HearthError, requestId?: string): CohereErrorResponseBody => ({
  id: requestId ?? null,
  message,
  code,
});

export const cohereDialect: ApiDialect = {
  name: 'Cohere',
  errorSchema: CohereErrorResponseBody,
  statusOf: openAiDialect.statusOf,
  toErrorBody,
  framing: openAiDialect.framing,
};
