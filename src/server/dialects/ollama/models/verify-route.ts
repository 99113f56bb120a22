// POST /api/verify

import type { Logger } from '../../../../base/logger.ts';
import { sendNdjson } from '../../../http/ndjson.ts';
import { requestSignal } from '../../../http/requests.ts';
import type { Route } from '../../../http/route.ts';
import type { VerifyModels } from '../../../services/management/verify-models.ts';
import { VerifyBody } from '../responses-schema.ts';
import { toVerifyResponses, VerifyRequest, type VerifyResponse } from './verify-schema.ts';

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
