// What is known about a request when it ends: for the log, the metrics and the usage.

import type { FastifyRequest } from 'fastify';
import type { ErrorCode } from '../../base/errors.ts';
import type { LogFields, Logger } from '../../base/logger.ts';
import { type Exchange, type RequestReport, sumCounts, type TokenCount } from '../../base/request/request-report.ts';
import type { TraceContext } from '../../base/request/trace-context.ts';
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
export interface FinishedRequest extends Pick<RequestEnd, 'method' | 'endpoint' | 'model' | 'outcome' | 'seconds'> {
  readonly id: string;
  /** A time of the monotonic clock. */
  readonly arrivedAt: number;
  readonly status: number;
  /** Absent: the request belongs to no trace. */
  readonly trace?: TraceContext | undefined;
  /** The name of its dialect. */
  readonly dialect: string;
  /** The name of its key; empty if the server has no keys. */
  readonly key: string;
  /** Another key may have had the same name. */
  readonly keyId?: string;
  /** The name in the request that stood for the model. Absent: the request named the model itself. */
  readonly alias?: string;
  /** The sum over its answers. */
  readonly tokens: Readonly<TokenCount>;
  /** Empty if texts are not kept. */
  readonly exchanges: readonly Exchange[];
}

export interface EndState {
  /** Whether the whole response was sent. */
  readonly finished: boolean;
  readonly seconds: number;
  readonly status: number;
}

export function toEnd(
  request: FastifyRequest,
  { model, failure }: RequestReport,
  { finished, seconds }: Omit<EndState, 'status'>,
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
function isRefused({ failure, counts }: RequestReport): boolean {
  return refusals.has(failure) && counts.length === 0;
}

/** Undefined if the route is not metered, or if the request was refused. */
export function toFinished(request: FastifyRequest, state: EndState): FinishedRequest | undefined {
  const { continuation } = request.report;
  const report = continuation?.report ?? request.report;
  const { id, key, trace } = request.scope;
  const { route } = request.routeOptions.config;
  if (route === undefined || !isMetered(request) || isRefused(report)) return undefined;
  // Work that goes on after the response does not depend on whether the client read it.
  const finished = state.finished || continuation !== undefined;
  const { method, endpoint, model, outcome, seconds } = toEnd(request, report, { ...state, finished });
  return {
    id,
    method,
    endpoint,
    arrivedAt: report.times.arrivedAt,
    status: state.status,
    trace,
    dialect: route.dialect.name,
    key: key?.name ?? '',
    keyId: key?.id,
    model,
    alias: report.alias,
    outcome,
    seconds,
    tokens: sumCounts(report.counts),
    exchanges: report.exchanges,
  };
}

export function logEnd(logger: Logger, end: RequestEnd, request: FastifyRequest, status: number): void {
  const { method, endpoint, model, outcome, seconds, polled } = end;
  const log = status < 400 && polled ? logger.debug : logger.info;
  log(`${method} ${endpoint}`, {
    status,
    outcome,
    ...(model === '' ? {} : { model }),
    ms: Math.round((seconds * nanosecondsPerSecond) / nanosecondsPerMillisecond),
    ...(status >= 400 && status < 500 ? describeRefusal(request, status) : {}),
  });
}

const maxLoggedCharacters = 300;

function describeRefusal({ url, headers, report }: FastifyRequest, status: number): LogFields {
  const shorten = (text: string | undefined): string | undefined => text?.slice(0, maxLoggedCharacters);
  return {
    path: shorten(url.split('?', 1)[0]),
    ...(status === 403 ? { host: shorten(headers.host), origin: shorten(headers.origin) } : {}),
    reason: shorten(report.reason),
  };
}
