// POST /api/pull and POST /api/push

import type { Logger } from '../../../../base/logger.ts';
import { parseRequestedModel } from '../../../../models/requested-model.ts';
import { requestSignal } from '../../../http/requests.ts';
import type { Route } from '../../../http/route.ts';
import type { PullModel } from '../../../services/management/pull-model.ts';
import type { PushModel } from '../../../services/management/push-model.ts';
import { StatusBody } from '../responses-schema.ts';
import { sendProgress } from './progress.ts';
import { PullRequest } from './pull-schema.ts';
import { PushRequest } from './push-schema.ts';

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
      const input = { model: parseRequestedModel(model ?? name ?? ''), insecure: insecure === true };
      return sendProgress(reply, transfer(input, requestSignal()), { stream: stream !== false, logger });
    },
  };
}
