// POST /api/push

import { PushRequest } from '../../api/push.ts';
import { StatusBody } from '../../api/responses.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { PushModel } from '../../service/push-model.ts';
import { sendProgress } from '../progress.ts';
import { requestSignal } from '../requests.ts';
import type { Route } from '../route.ts';

export function pushRoute({ pushModel, logger }: { pushModel: PushModel; logger: Logger }): Route {
  return {
    method: 'POST',
    path: '/api/push',
    body: PushRequest,
    summary: 'Send a model to a library',
    response: StatusBody,
    streams: { type: 'application/x-ndjson', each: StatusBody },
    async handle(request, reply) {
      const { model, name, insecure, stream } = request.body as PushRequest;
      const input = { model: model ?? name ?? '', insecure: insecure === true };
      return sendProgress(reply, pushModel(input, requestSignal()), { stream: stream !== false, logger });
    },
  };
}
