// POST /api/pull

import { PullRequest } from '../../api/pull.ts';
import { StatusBody } from '../../api/responses.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { PullModel } from '../../service/pull-model.ts';
import { sendProgress } from '../progress.ts';
import { requestSignal } from '../requests.ts';
import type { Route } from '../route.ts';

export function pullRoute({ pullModel, logger }: { pullModel: PullModel; logger: Logger }): Route {
  return {
    method: 'POST',
    path: '/api/pull',
    body: PullRequest,
    summary: 'Fetch a model from a library',
    response: StatusBody,
    streams: { type: 'application/x-ndjson', each: StatusBody },
    async handle(request, reply) {
      const { model, name, insecure, stream } = request.body as PullRequest;
      const input = { model: model ?? name ?? '', insecure: insecure === true };
      return sendProgress(reply, pullModel(input, requestSignal()), { stream: stream !== false, logger });
    },
  };
}
