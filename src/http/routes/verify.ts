// POST /api/verify

import { toVerifyResponses, VerifyRequest, type VerifyResponse } from '../../api/verify.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { VerifyModels } from '../../service/verify-models.ts';
import { abortOnDisconnect } from '../disconnect.ts';
import { sendNdjson } from '../ndjson.ts';
import type { Route } from '../route.ts';

export function verifyRoute({ verifyModels, logger }: { verifyModels: VerifyModels; logger: Logger }): Route {
  return {
    method: 'POST',
    path: '/api/verify',
    body: VerifyRequest,
    async handle(request, reply) {
      const { repair = false, stream = true } = request.body as VerifyRequest;
      const responses = toVerifyResponses(verifyModels({ repair }, abortOnDisconnect(reply)));
      if (stream) return sendNdjson(reply, responses, logger);
      let last: VerifyResponse | undefined;
      for await (const response of responses) last = response;
      return last;
    },
  };
}
