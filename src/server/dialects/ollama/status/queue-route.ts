// GET /api/queue

import { formatLocalTimestamp } from '../../../../base/time/timestamp.ts';
import { type RequestTable, requestClient } from '../../../http/requests.ts';
import type { Route } from '../../../http/route.ts';
import { ollamaDialect } from '../dialect.ts';
import { QueueResponseBody } from './queue-schema.ts';

export interface WaitingModel {
  readonly name: string;
  readonly waiting: readonly { readonly id: string; readonly since: number; readonly for: 'model' | 'runner' }[];
}

export interface QueueRouteOptions {
  readonly queue: () => readonly WaitingModel[];
  readonly requests: Pick<RequestTable, 'belongsTo'>;
}

export function queueRoute({ queue, requests }: QueueRouteOptions): Route {
  // An id is enough to cancel a request, so a client sees only its own.
  const toEntry = ({ id, since, for: waitsFor }: WaitingModel['waiting'][number]) => ({
    ...(requests.belongsTo(requestClient(), id) ? { id } : {}),
    since: formatLocalTimestamp(since),
    for: waitsFor,
  });
  return {
    dialect: ollamaDialect,
    method: 'GET',
    path: '/api/queue',
    summary: 'List waiting requests',
    response: QueueResponseBody,
    handle: async (): Promise<QueueResponseBody> => ({
      queues: queue().map(({ name, waiting }) => ({
        model: name,
        waiting: waiting.map(toEntry),
      })),
    }),
  };
}
