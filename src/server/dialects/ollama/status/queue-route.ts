// GET /api/queue

import { formatLocalTimestamp } from '../../../../base/time/timestamp.ts';
import type { Route } from '../../../http/route.ts';
import { ollamaDialect } from '../dialect.ts';
import { QueueResponseBody } from './queue-schema.ts';

export interface WaitingModel {
  readonly name: string;
  readonly waiting: readonly { readonly id: string; readonly since: number; readonly for: 'model' | 'runner' }[];
}

export function queueRoute(queue: () => readonly WaitingModel[]): Route {
  return {
    dialect: ollamaDialect,
    method: 'GET',
    path: '/api/queue',
    summary: 'List waiting requests',
    response: QueueResponseBody,
    handle: async (): Promise<QueueResponseBody> => ({
      queues: queue().map(({ name, waiting }) => ({
        model: name,
        waiting: waiting.map((request) => ({ ...request, since: formatLocalTimestamp(request.since) })),
      })),
    }),
  };
}
