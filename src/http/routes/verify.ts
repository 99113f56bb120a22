// POST /api/verify

import { VerifyBody } from '../../api/responses.ts';
import { toVerifyResponses, VerifyRequest, type VerifyResponse } from '../../api/verify.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { VerifyModels } from '../../service/verify-models.ts';
import { sendNdjson } from '../ndjson.ts';
import { requestSignal } from '../requests.ts';
import type { Route } from '../route.ts';

export function verifyRoute({ verifyModels, logger }: { verifyModels: VerifyModels; logger: Logger }): Route {
  return {
    method: 'POST',
    path: '/api/verify',
    body: VerifyRequest,
    summary: 'Look the store through',
    response: VerifyBody,
    streams: { type: 'application/x-ndjson', each: VerifyBody },
    async handle(request, reply) {
      const { repair = false, stream = true } = request.body as VerifyRequest;
      const responses = toVerifyResponses(verifyModels({ repair }, requestSignal()));
      if (stream) return sendNdjson(reply, responses, logger);
      let last: VerifyResponse | undefined;
      for await (const response of responses) last = response;
      return last;
    },
  };
}
