// POST /api/pull and POST /api/push

import { PullRequest } from '../../api/pull.ts';
import { PushRequest } from '../../api/push.ts';
import { StatusBody } from '../../api/responses.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { PullModel } from '../../service/pull-model.ts';
import type { PushModel } from '../../service/push-model.ts';
import { sendProgress } from '../progress.ts';
import { requestSignal } from '../requests.ts';
import type { Route } from '../route.ts';

export function pullRoute({ pullModel, logger }: { pullModel: PullModel; logger: Logger }): Route {
  const about = { path: '/api/pull', body: PullRequest, summary: 'Fetch a model from a library' };
  return transferRoute({ about, transfer: pullModel, logger });
}

export function pushRoute({ pushModel, logger }: { pushModel: PushModel; logger: Logger }): Route {
  const about = { path: '/api/push', body: PushRequest, summary: 'Send a model to a library' };
  return transferRoute({ about, transfer: pushModel, logger });
}

interface Transfer {
  readonly about: Pick<Route, 'path' | 'body' | 'summary'>;
  readonly transfer: PullModel | PushModel;
  readonly logger: Logger;
}

function transferRoute({ about, transfer, logger }: Transfer): Route {
  return {
    method: 'POST',
    ...about,
    response: StatusBody,
    streams: { type: 'application/x-ndjson', each: StatusBody },
    async handle(request, reply) {
      const { model, name, insecure, stream } = request.body as PullRequest | PushRequest;
      const input = { model: model ?? name ?? '', insecure: insecure === true };
      return sendProgress(reply, transfer(input, requestSignal()), { stream: stream !== false, logger });
    },
  };
}
