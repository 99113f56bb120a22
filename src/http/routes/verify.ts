// POST /api/verify

import { VerifyBody } from '../../api/responses.ts';
import { VerifyRequest, type VerifyResponse } from '../../api/verify.ts';
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
    summary: 'Look the store through',
    response: VerifyBody,
    streams: { type: 'application/x-ndjson', each: VerifyBody },
    async handle(request, reply) {
      const { repair = false, stream = true } = request.body as VerifyRequest;
      const responses = toResponses(verifyModels({ repair }, abortOnDisconnect(reply)));
      if (stream) return sendNdjson(reply, responses, logger);
      let last: VerifyResponse | undefined;
      for await (const response of responses) last = response;
      return last;
    },
  };
}

async function* toResponses(findings: ReturnType<VerifyModels>): AsyncGenerator<VerifyResponse> {
  const counts: Record<string, number> = {};
  for await (const finding of findings) {
    counts[finding.kind] = (counts[finding.kind] ?? 0) + 1;
    if (finding.kind === 'unreadable') yield { status: finding.kind, path: finding.path, reason: finding.reason };
    else if (finding.kind === 'leftover')
      yield { status: finding.kind, path: finding.path, size: finding.bytes, removed: finding.removed };
    else {
      const { kind, digest, bytes, models, removed } = finding;
      yield { status: kind, digest, size: bytes, models, removed };
    }
  }
  yield { status: 'success', counts };
}
