// The request that the current work belongs to, in asynchronous local storage: a log line deep below a route names its
// request without every function in between passing it on (docs/adr/0014). What the work finds out is in the
// RequestReport, which is passed on explicitly.

import { AsyncLocalStorage } from 'node:async_hooks';
import type { CallerKey } from './caller-key.ts';
import type { TraceContext } from './trace-context.ts';

export interface RequestScope {
  /** Unique and unguessable. */
  readonly id: string;
  /** Identifies the client: slots and the queue are shared between clients, and a client sees only its own request ids. */
  readonly client: string;
  /** The request gets what no other one needs, such as a line of a batch. */
  readonly background?: true;
  /** Requests with another partition share no evaluated prompts. Absent: those without keys have one in common. */
  readonly partition?: string;
  /** The conversation that the caller names, as a hash. Absent: it names none. */
  readonly session?: string;
  /** Absent if the server has no keys, and if the request carries no valid one. */
  readonly key?: CallerKey;
  /** Ids of other servers that sent the request on. Requests to remotes carry them, to end rings of servers. */
  readonly passedServers?: readonly string[];
  /** Absent: the caller names no trace. */
  readonly trace?: TraceContext;
  /** Aborts when the client disconnects or the request is canceled. An error as the reason is what the request fails with. */
  readonly signal: AbortSignal;
}

/** How callers without keys are told apart. */
export type ClientSeparation = 'address' | 'connection' | { readonly header: string };

const scopes = new AsyncLocalStorage<RequestScope | undefined>();

/** Undefined outside of requests. */
export function currentRequest(): RequestScope | undefined {
  return scopes.getStore();
}

export function runInRequest<Result>(scope: RequestScope, work: () => Result): Result {
  return scopes.run(scope, work);
}

/** For work that a request starts but that outlives it. */
export function runOutsideRequests<Result>(work: () => Result): Result {
  return scopes.run(undefined, work);
}
