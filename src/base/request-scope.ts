// Who the work at hand is done for. It travels beside the calls, not through them: a log line deep below a route names
// the request it belongs to without every function in between having to pass it on (docs/adr/0014).

import { AsyncLocalStorage } from 'node:async_hooks';
import type { ErrorCode } from './errors.ts';

export interface RequestScope {
  /** A name that no other request has and nobody can guess. */
  readonly id: string;
  /** The same for requests of one client, as far as one can tell: places are shared out evenly between clients. */
  readonly client: string;
  /** Fires when the client has gone, or the request is cancelled. */
  readonly signal: AbortSignal;
  /** The model that it turned out to be about. */
  model?: string;
  /** How it failed, if it did. */
  failure?: ErrorCode;
}

const scopes = new AsyncLocalStorage<RequestScope | undefined>();

/** Undefined where work belongs to no request. */
export function currentRequest(): RequestScope | undefined {
  return scopes.getStore();
}

export function runInRequest<Result>(scope: RequestScope, work: () => Result): Result {
  return scopes.run(scope, work);
}

export function noteModel(name: string): void {
  const request = currentRequest();
  if (request) request.model = name;
}

/** The first failure counts. */
export function noteFailure(code: ErrorCode): void {
  const request = currentRequest();
  if (request) request.failure ??= code;
}

/** For what a request sets going and others use after it. */
export function runOutsideRequests<Result>(work: () => Result): Result {
  return scopes.run(undefined, work);
}
