// GET /api/requests/:id/stream

import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { HearthError } from '../../../../base/errors.ts';
import type { Logger } from '../../../../base/logger.ts';
import { viewerOf } from '../../../http/requests.ts';
import type { ResumableAnswers } from '../../../http/resumable/resumable-answers.ts';
import { sendFollowed } from '../../../http/resumable/send-followed.ts';
import type { Route } from '../../../http/route.ts';
import { ollamaDialect } from '../../shared/ollama-dialect.ts';
import { ChatResponseBody } from './chat-schema.ts';
import { GenerateResponseBody } from './generate-schema.ts';

/** An object of the answer, as it was sent at first. */
const ResumedObject = Type.Union([ChatResponseBody, GenerateResponseBody]);

interface ResumeRouteOptions {
  readonly resumable: Pick<ResumableAnswers, 'find'>;
  readonly logger: Logger;
}

export function resumeRoute({ resumable, logger }: ResumeRouteOptions): Route {
  return {
    dialect: ollamaDialect,
    method: 'GET',
    scope: 'infer',
    path: '/api/requests/:id/stream',
    summary: 'Read a resumable answer of the same client again, and follow it until its end',
    query: {
      from: Type.Integer({ minimum: 0, description: 'The number of objects that the client has already. Default: 0.' }),
    },
    streams: ResumedObject,
    async handle(request, reply) {
      const answer = await resumable.find(viewerOf(request), (request.params as { readonly id: string }).id);
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
