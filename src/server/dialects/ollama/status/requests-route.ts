// DELETE /api/requests/:id, GET /api/requests/:id/stream

import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { HearthError } from '../../../../base/errors.ts';
import type { Logger } from '../../../../base/logger.ts';
import { type RequestTable, requestViewer } from '../../../http/requests.ts';
import type { ResumableAnswers } from '../../../http/resumable/resumable-answers.ts';
import { sendFollowed } from '../../../http/resumable/send-followed.ts';
import type { Route } from '../../../http/route.ts';
import { ollamaDialect } from '../dialect.ts';
import { CancelResponseBody, ResumedObject } from './requests-schema.ts';

const path = '/api/requests/:id';
const idOf = ({ params }: FastifyRequest): string => (params as { readonly id: string }).id;

export function cancelRoute(requests: Pick<RequestTable, 'cancel'>): Route {
  return {
    dialect: ollamaDialect,
    method: 'DELETE',
    scope: 'infer',
    path,
    summary:
      'Cancel a waiting or running request of the same client by its x-request-id; an administrator can cancel all',
    response: CancelResponseBody,
    handle: async (request): Promise<CancelResponseBody> => {
      requests.cancel(requestViewer(), idOf(request));
      return { status: 'cancelled' };
    },
  };
}

export interface ResumeRouteOptions {
  readonly resumable: Pick<ResumableAnswers, 'find'>;
  readonly logger: Logger;
}

export function resumeRoute({ resumable, logger }: ResumeRouteOptions): Route {
  return {
    dialect: ollamaDialect,
    method: 'GET',
    scope: 'infer',
    path: `${path}/stream`,
    summary: 'Read a resumable answer of the same client again, and follow it until its end',
    query: {
      from: Type.Integer({ minimum: 0, description: 'The number of objects that the client has already. Default: 0.' }),
    },
    streams: ResumedObject,
    handle(request, reply) {
      const answer = resumable.find(requestViewer(), idOf(request));
      return sendFollowed(reply, answer, { from: readFrom(request), dialect: ollamaDialect, logger });
    },
  };
}

function readFrom({ query }: FastifyRequest): number {
  const { from = '0' } = query as { readonly from?: unknown };
  if (typeof from !== 'string' || !/^\d{1,9}$/.test(from))
    throw new HearthError('bad_request', 'from must be a number of objects');
  return Number(from);
}
