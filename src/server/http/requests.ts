// The requests that are under way: each has an id, which its response names in a header, and can be cancelled by it.

import { createHash, randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HearthError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { currentRequest, type RequestScope, runInRequest } from '../../base/request-scope.ts';
import type { Clock } from '../../base/time/clock.ts';
import { nanosecondsPerMillisecond } from '../../base/time/duration.ts';

export const requestIdHeader = 'x-request-id';

export interface RequestEnd {
  readonly method: string;
  /** The route, not what stands in its place: a client cannot make up new ones. */
  readonly endpoint: string;
  /** Empty where there was none. */
  readonly model: string;
  /** `ok`, or the code of the error. */
  readonly outcome: string;
  readonly seconds: number;
}

export interface RequestTable {
  /** Keeps it in the table until its response is through or given up. */
  admit(request: FastifyRequest, reply: FastifyReply): void;
  /** Does work for a request that was admitted. */
  within<Result>(request: FastifyRequest, work: () => Result): Result;
  /** Throws when there is no such request under way. */
  cancel(id: string): void;
}

export interface RequestTableOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onEnd?: (end: RequestEnd) => void;
}

export function createRequestTable({ clock, logger, onEnd = () => {} }: RequestTableOptions): RequestTable {
  const running = new Map<string, AbortController>();
  const scopes = new WeakMap<FastifyRequest, RequestScope>();

  return {
    admit(request, reply) {
      const id = randomBytes(8).toString('hex');
      const begun = clock.monotonic();
      const controller = new AbortController();
      // One request can ask for many answers, and each of them listens.
      setMaxListeners(0, controller.signal);
      const scope: RequestScope = { id, client: clientOf(request), signal: controller.signal };
      running.set(id, controller);
      scopes.set(request, scope);
      void reply.header(requestIdHeader, id);
      reply.raw.once('close', () => {
        running.delete(id);
        const finished = reply.raw.writableFinished;
        if (!finished) controller.abort();
        runInRequest(scope, () => {
          const end = toEnd(request, scope, { finished, seconds: (clock.monotonic() - begun) / 1e9 });
          logEnd(logger, end, reply.raw.statusCode);
          onEnd(end);
        });
      });
    },
    within(request, work) {
      const scope = scopes.get(request);
      return scope === undefined ? work() : runInRequest(scope, work);
    },
    cancel(id) {
      const controller = running.get(id);
      if (controller === undefined) throw new HearthError('request_not_found', `there is no request "${id}" under way`);
      controller.abort();
    },
  };
}

/** Fires when the caller of the request at hand has gone, or when the request is cancelled by its id. */
export function requestSignal(): AbortSignal {
  const request = currentRequest();
  if (request === undefined) throw new Error('there is no request at hand');
  return request.signal;
}

function toEnd(
  { method, routeOptions }: FastifyRequest,
  { model = '', failure }: RequestScope,
  { finished, seconds }: { readonly finished: boolean; readonly seconds: number },
): RequestEnd {
  const outcome = failure ?? (finished ? 'ok' : 'cancelled');
  return { method, endpoint: routeOptions.url ?? 'none', model, outcome, seconds };
}

// Clients ask for these all the time, just to see whether somebody is there.
const ofNoInterest: readonly string[] = ['/', '/api/version', '/metrics'];

function logEnd(logger: Logger, { method, endpoint, model, outcome, seconds }: RequestEnd, status: number): void {
  const log = ofNoInterest.includes(endpoint) ? logger.debug : logger.info;
  log(`${method} ${endpoint}`, {
    status,
    outcome,
    ...(model === '' ? {} : { model }),
    ms: Math.round((seconds * 1e9) / nanosecondsPerMillisecond),
  });
}

/** An editor and a batch job on one machine come from one address, but call themselves by different names. */
function clientOf({ ip, headers }: FastifyRequest): string {
  const name = `${ip}\n${headers['user-agent'] ?? ''}\n${headers.authorization ?? ''}`;
  return createHash('sha256').update(name).digest('base64url').slice(0, 12);
}
