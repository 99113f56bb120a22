// What is known about a request when it ends: for the log, the metrics and the usage.

import type { FastifyRequest } from 'fastify';
import type { ErrorCode } from '../../base/errors.ts';
import type { LogFields, Logger } from '../../base/logger.ts';
import type { Exchange, RequestScope, TokenCount } from '../../base/request/request-scope.ts';
import { sumCounts } from '../../base/request/request-usage.ts';
import { nanosecondsPerMillisecond, nanosecondsPerSecond } from '../../base/time/duration.ts';

export interface RequestEnd {
  readonly method: string;
  /** The path of the route, not of the request: the number of labels in the metrics must stay bounded. */
  readonly endpoint: string;
  /** Empty if the request named none. */
  readonly model: string;
  /** `ok`, or the code of the error. */
  readonly outcome: string;
  readonly seconds: number;
  /** The request is not work: clients call this route all the time. */
  readonly polled: boolean;
}

/** A request of a metered route that has ended, with all of its work. */
export interface FinishedRequest extends Pick<RequestEnd, 'endpoint' | 'model' | 'outcome' | 'seconds'> {
  readonly id: string;
  /** The name of its dialect. */
  readonly dialect: string;
  /** The name of its key; empty if the server has no keys. */
  readonly key: string;
  /** The sum over its answers. */
  readonly tokens: Readonly<TokenCount>;
  /** Empty if texts are not kept. */
  readonly exchanges: readonly Exchange[];
}

export interface EndState {
  /** Whether the whole response was sent. */
  readonly finished: boolean;
  readonly seconds: number;
}

export function toEnd(
  request: FastifyRequest,
  { model = '', failure }: RequestScope,
  { finished, seconds }: EndState,
): RequestEnd {
  const outcome = failure ?? (finished ? 'ok' : 'cancelled');
  const { method, routeOptions } = request;
  return { method, endpoint: routeOptions.url ?? 'none', model, outcome, seconds, polled: isPolled(request) };
}

export function isPolled({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.config.route?.polled === true;
}

export function isMetered({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.config.route?.metered === true;
}

// Requests that the server does not even begin are not usage. There may be any number of them.
const refusals: ReadonlySet<ErrorCode | undefined> = new Set<ErrorCode>([
  'forbidden',
  'unauthorized',
  'missing_scope',
  'rate_limited',
]);

/** A request whose key is revoked while it is answered was not refused. */
function isRefused({ failure, counts }: RequestScope): boolean {
  return refusals.has(failure) && counts === undefined;
}

/** Undefined if the route is not metered, or if the request was refused. */
export function toFinished(
  request: FastifyRequest,
  answered: RequestScope,
  state: EndState,
): FinishedRequest | undefined {
  const { continuation, key } = answered;
  const scope = continuation?.scope ?? answered;
  const { route } = request.routeOptions.config;
  if (route === undefined || !isMetered(request) || isRefused(scope)) return undefined;
  // Work that goes on after the response does not depend on whether the client read it.
  const finished = state.finished || continuation !== undefined;
  const { endpoint, model, outcome, seconds } = toEnd(request, scope, { ...state, finished });
  return {
    id: scope.id,
    endpoint,
    dialect: route.dialect.name,
    key: key?.name ?? '',
    model,
    outcome,
    seconds,
    tokens: sumCounts(scope.counts ?? []),
    exchanges: scope.exchanges ?? [],
  };
}

export interface LoggedRequest {
  readonly request: FastifyRequest;
  readonly scope: RequestScope;
  readonly status: number;
}

export function logEnd(logger: Logger, end: RequestEnd, { request, scope, status }: LoggedRequest): void {
  const { method, endpoint, model, outcome, seconds, polled } = end;
  const log = status < 400 && polled ? logger.debug : logger.info;
  log(`${method} ${endpoint}`, {
    status,
    outcome,
    ...(model === '' ? {} : { model }),
    ms: Math.round((seconds * nanosecondsPerSecond) / nanosecondsPerMillisecond),
    ...(status >= 400 && status < 500 ? describeRefusal(request, scope, status) : {}),
  });
}

// Characters.
const maxLogged = 300;

function describeRefusal({ url, headers }: FastifyRequest, { reason }: RequestScope, status: number): LogFields {
  return {
    path: url.split('?', 1)[0]?.slice(0, maxLogged),
    ...(status === 403 ? { host: headers.host?.slice(0, maxLogged), origin: headers.origin?.slice(0, maxLogged) } : {}),
    reason: reason?.slice(0, maxLogged),
  };
}
