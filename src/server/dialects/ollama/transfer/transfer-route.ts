// POST /api/pull and POST /api/push

import type { Logger } from '../../../../base/logger.ts';
import { parseRequestedModel } from '../../../../models/name.ts';
import type { Route } from '../../../http/route.ts';
import type { ModelProgress } from '../../../services/management/model-progress.ts';
import type { ModelPulls } from '../../../services/management/model-pulls.ts';
import type { ModelTransfer } from '../../../services/management/pull-model.ts';
import type { PushModel } from '../../../services/management/push-model.ts';
import { ollamaDialect } from '../../shared/ollama-dialect.ts';
import { ProgressResponseBody } from './progress-schema.ts';
import { sendProgress } from './send-progress.ts';
import { PullRequestBody, PushRequestBody, registryFailures } from './transfer-schema.ts';

interface PullServices {
  readonly pulls: Pick<ModelPulls, 'follow'>;
  readonly logger: Logger;
}

export function pullRoute({ pulls, logger }: PullServices): Route {
  const head = { path: '/api/pull', summary: 'Pull a model from a registry or a package', body: PullRequestBody };
  const start: Transfer<PullRequestBody>['start'] = (body, signal) =>
    pulls.follow({ model: nameIn(body), insecure: body.insecure === true, as: body.as }, signal);
  return transferRoute({ head, start, logger });
}

export function pushRoute({ pushModel, logger }: { pushModel: PushModel; logger: Logger }): Route {
  const head = { path: '/api/push', summary: 'Push a model to a registry', body: PushRequestBody };
  const start: Transfer<PushRequestBody>['start'] = (body, signal) =>
    pushModel({ ...toTransfer(body), format: body.format ?? 'ollama' }, signal);
  return transferRoute({ head, start, logger });
}

function nameIn({ model, name }: PullRequestBody | PushRequestBody): string {
  return model ?? name ?? '';
}

function toTransfer(body: PushRequestBody): ModelTransfer {
  return { model: parseRequestedModel(nameIn(body)), insecure: body.insecure === true };
}

interface Transfer<Body extends PullRequestBody | PushRequestBody> {
  readonly head: Pick<Route, 'path' | 'summary' | 'body'>;
  readonly start: (body: Body, signal: AbortSignal) => AsyncGenerator<ModelProgress>;
  readonly logger: Logger;
}

function transferRoute<Body extends PullRequestBody | PushRequestBody>({ head, start, logger }: Transfer<Body>): Route {
  return {
    dialect: ollamaDialect,
    method: 'POST',
    scope: 'manage',
    ...head,
    response: ProgressResponseBody,
    streams: ProgressResponseBody,
    failures: registryFailures,
    async handle(request, reply) {
      const body = request.body as Body;
      return sendProgress(reply, start(body, request.scope.signal), { stream: body.stream !== false, logger });
    },
  };
}
