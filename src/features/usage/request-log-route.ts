// GET /api/requests/log: what people wrote and what models answered. Only the operator may read it.

import type { FastifyRequest } from 'fastify';
import { HearthError } from '../../base/errors.ts';
import { formatTimestamp } from '../../base/time/timestamp.ts';
import { ollamaDialect } from '../../server/dialects/shared/ollama-dialect.ts';
import { isFromThisMachine } from '../../server/http/access/from-this-machine.ts';
import type { Route } from '../../server/http/route.ts';
import type { LoggedExchanges, RequestLog } from './log/request-log.ts';
import { RequestLogResponseBody } from './request-log-schema.ts';

export function requestLogRoute(log: Pick<RequestLog, 'maxRequests' | 'list'>): Route {
  return {
    dialect: ollamaDialect,
    method: 'GET',
    path: '/api/requests/log',
    scope: 'admin',
    tag: 'Server',
    summary: 'Show the last requests with prompts and answers, if HEARTH_REQUEST_LOG is set',
    response: RequestLogResponseBody,
    handle: async (request): Promise<RequestLogResponseBody> => {
      checkReader(request);
      return { keeps: log.maxRequests, requests: log.list().map(toBody) };
    },
  };
}

function checkReader(request: FastifyRequest): void {
  const { key } = request.scope;
  if (key === undefined ? isFromThisMachine(request) : key.scope === 'admin') return;
  const readers = key === undefined ? 'clients on the same machine as the server' : 'keys with the scope admin';
  throw new HearthError('forbidden', `the request log is shown only to ${readers}`);
}

function toBody(request: LoggedExchanges): RequestLogResponseBody['requests'][number] {
  const { id, time, key, endpoint, model, outcome, exchanges } = request;
  return {
    id,
    time: formatTimestamp(time),
    key: key || undefined,
    endpoint,
    model,
    prompt_tokens: request.promptTokens,
    cached_tokens: request.cachedTokens,
    generated_tokens: request.generatedTokens,
    duration_ms: request.milliseconds,
    outcome,
    exchanges: exchanges.map(({ prompt, answer }) => ({ prompt, answer })),
  };
}
