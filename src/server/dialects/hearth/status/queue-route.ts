// GET /api/queue

import { formatLocalTimestamp } from '../../../../base/time/timestamp.ts';
import { type RequestTable, type Viewer, viewerOf } from '../../../http/requests.ts';
import type { Route } from '../../../http/route.ts';
import { ollamaDialect } from '../../shared/ollama-dialect.ts';
import { QueueResponseBody } from './queue-schema.ts';

export interface WaitingModel {
  readonly name: string;
  readonly waiting: readonly { readonly id: string; readonly since: number; readonly for: 'model' | 'runner' }[];
}

interface QueueRouteOptions {
  readonly queue: () => readonly WaitingModel[];
  readonly requests: Pick<RequestTable, 'isVisible'>;
}

export function queueRoute({ queue, requests }: QueueRouteOptions): Route {
  type Waiting = WaitingModel['waiting'][number];
  // An id is enough to cancel a request, so a client sees only its own.
  const toEntry = (viewer: Viewer, { id, since, for: waitsFor }: Waiting) => ({
    ...(requests.isVisible(viewer, id) ? { id } : {}),
    since: formatLocalTimestamp(since),
    for: waitsFor,
  });
  /** With a key, a client does not even see that others wait. */
  const listVisible = (viewer: Viewer): WaitingModel[] => {
    if (!viewer.hasKey) return [...queue()];
    const isVisible = ({ id }: Waiting): boolean => requests.isVisible(viewer, id);
    return queue()
      .map(({ name, waiting }) => ({ name, waiting: waiting.filter(isVisible) }))
      .filter(({ waiting }) => viewer.seesAll || waiting.length > 0);
  };
  return {
    dialect: ollamaDialect,
    method: 'GET',
    scope: 'infer',
    path: '/api/queue',
    summary: 'List waiting requests',
    polled: true,
    response: QueueResponseBody,
    handle: async (request): Promise<QueueResponseBody> => {
      const viewer = viewerOf(request);
      const queues = listVisible(viewer).map(({ name, waiting }) => ({
        model: name,
        waiting: waiting.map((entry) => toEntry(viewer, entry)),
      }));
      return { queues };
    },
  };
}
