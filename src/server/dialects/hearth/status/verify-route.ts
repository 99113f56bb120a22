// POST /api/verify

import type { Logger } from '../../../../base/logger.ts';
import type { Route } from '../../../http/route.ts';
import { sendStream } from '../../../http/streaming/send-stream.ts';
import type { VerifyModels } from '../../../services/management/verify-models.ts';
import { ollamaDialect } from '../../shared/ollama-dialect.ts';
import { toVerifyResponses, VerifyRequestBody, VerifyResponseBody } from './verify-schema.ts';

export function verifyRoute({ verifyModels, logger }: { verifyModels: VerifyModels; logger: Logger }): Route {
  return {
    dialect: ollamaDialect,
    method: 'POST',
    scope: 'admin',
    path: '/api/verify',
    summary: 'Verify the store',
    body: VerifyRequestBody,
    response: VerifyResponseBody,
    streams: VerifyResponseBody,
    async handle(request, reply) {
      const { repair = false, stream = true } = request.body as VerifyRequestBody;
      const responses = toVerifyResponses(verifyModels({ repair }, request.scope.signal));
      if (stream) return sendStream(reply, responses, { dialect: ollamaDialect, logger });
      let last: VerifyResponseBody | undefined;
      for await (const response of responses) last = response;
      return last;
    },
  };
}
