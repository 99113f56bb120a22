// POST /api/pull and POST /api/push

import type { Logger } from '../../../../base/logger.ts';
import { parseRequestedModel } from '../../../../models/requested-model.ts';
import { requestSignal } from '../../../http/requests.ts';
import type { Route } from '../../../http/route.ts';
import type { PullModel } from '../../../services/management/pull-model.ts';
import type { PushModel } from '../../../services/management/push-model.ts';
import { ollamaDialect } from '../dialect.ts';
import { ProgressResponseBody } from './progress-schema.ts';
import { sendProgress } from './send-progress.ts';
import { TransferRequestBody } from './transfer-schema.ts';

export function pullRoute({ pullModel, logger }: { pullModel: PullModel; logger: Logger }): Route {
  const head = { path: '/api/pull', summary: 'Pull a model from a registry' };
  return transferRoute({ head, transfer: pullModel, logger });
}

export function pushRoute({ pushModel, logger }: { pushModel: PushModel; logger: Logger }): Route {
  const head = { path: '/api/push', summary: 'Push a model to a registry' };
  return transferRoute({ head, transfer: pushModel, logger });
}

interface Transfer {
  readonly head: Pick<Route, 'path' | 'summary'>;
  readonly transfer: PullModel | PushModel;
  readonly logger: Logger;
}

function transferRoute({ head, transfer, logger }: Transfer): Route {
  return {
    dialect: ollamaDialect,
    method: 'POST',
    ...head,
    body: TransferRequestBody,
    response: ProgressResponseBody,
    streams: ProgressResponseBody,
    async handle(request, reply) {
      const { model, name, insecure, stream } = request.body as TransferRequestBody;
      const input = { model: parseRequestedModel(model ?? name ?? ''), insecure: insecure === true };
      return sendProgress(reply, transfer(input, requestSignal()), { stream: stream !== false, logger });
    },
  };
}
