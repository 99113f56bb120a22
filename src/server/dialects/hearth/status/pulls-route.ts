// GET and POST /api/pulls, POST /api/pulls/:id/pause, DELETE /api/pulls/:id

import type { FastifyRequest } from 'fastify';
import { formatTimestamp } from '../../../../base/time/timestamp.ts';
import type { Route } from '../../../http/route.ts';
import type { ModelPull, ModelPulls } from '../../../services/management/model-pulls.ts';
import { ollamaDialect } from '../../shared/ollama-dialect.ts';
import { PullBody, PullsResponseBody, RemovePullResponseBody, StartPullRequestBody } from './pulls-schema.ts';

const idIn = ({ params }: FastifyRequest): string => (params as { readonly id: string }).id;

export function pullsRoutes(pulls: Pick<ModelPulls, 'list' | 'start' | 'pause' | 'remove'>): Route[] {
  const common = { dialect: ollamaDialect, scope: 'manage' } as const;
  return [
    {
      ...common,
      method: 'GET',
      path: '/api/pulls',
      summary: 'List the pulls of the server',
      response: PullsResponseBody,
      polled: true,
      handle: (): PullsResponseBody => ({ pulls: pulls.list().map(toBody) }),
    },
    {
      ...common,
      method: 'POST',
      path: '/api/pulls',
      summary: 'Start or continue a pull that goes on without a client',
      body: StartPullRequestBody,
      response: PullBody,
      handle(request): PullBody {
        const { model, name, insecure, as } = request.body as StartPullRequestBody;
        return toBody(pulls.start({ model: model ?? name ?? '', insecure: insecure === true, as }));
      },
    },
    {
      ...common,
      method: 'POST',
      path: '/api/pulls/:id/pause',
      summary: 'Pause a pull',
      response: PullBody,
      handle: (request): PullBody => toBody(pulls.pause(idIn(request))),
    },
    {
      ...common,
      method: 'DELETE',
      path: '/api/pulls/:id',
      summary: 'Cancel a pull, or remove one that has ended from the list',
      response: RemovePullResponseBody,
      handle(request): RemovePullResponseBody {
        pulls.remove(idIn(request));
        return { status: 'success' };
      },
    },
  ];
}

function toBody({ id, model, as, insecure, state, progress, problem, startedAt }: ModelPull): PullBody {
  const { status, total, completed } = progress;
  return {
    id,
    model,
    as,
    insecure: insecure || undefined,
    state,
    status,
    ...(total === 0 ? {} : { total, completed }),
    error: problem || undefined,
    started_at: formatTimestamp(startedAt),
  };
}
