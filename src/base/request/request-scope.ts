// The request that the current work belongs to, in asynchronous local storage: a log line deep below a route names its
// request without every function in between passing it on (docs/adr/0014).

import { AsyncLocalStorage } from 'node:async_hooks';
import { type ErrorCode, HearthError } from '../errors.ts';
import type { CallerKey } from './caller-key.ts';

export interface RequestScope {
  /** Unique and unguessable. */
  readonly id: string;
  /** Identifies the client: slots and the queue are shared between clients, and a client sees only its own request ids. */
  readonly client: string;
  /** Absent if the server has no keys, and if the request carries no valid one. */
  readonly key?: CallerKey;
  /** Other servers that sent the request on, by their ids. Absent: it comes from a client. */
  readonly passedServers?: readonly string[];
  /** Aborts when the client disconnects or the request is canceled. An error as the reason is what the request fails with. */
  readonly signal: AbortSignal;
  /** Set once the model is known. */
  model?: string;
  /** What the audit log says the request was about, if the request itself does not say it. */
  subject?: string;
  /** Set if the request failed. */
  failure?: ErrorCode;
  /** The message of the failure. */
  reason?: string;
  /** Tells the client which of its options have no effect. Absent after the response. */
  readonly reportIgnored?: (options: readonly string[]) => void;
  /** The tokens of its answers. */
  counts?: TokenCount[];
  /** The texts of its answers. Absent: they are not kept. */
  readonly exchanges?: Exchange[];
  /** Set if work goes on after the response, in a scope of its own. */
  continuation?: RequestContinuation;
}

export interface RequestContinuation {
  readonly scope: RequestScope;
  readonly ended: Promise<void>;
  cancel(reason: HearthError): void;
}

/** The tokens of one answer, so far. */
export interface TokenCount {
  promptTokens: number;
  /** The part of the prompt that the prefix cache provided. */
  cachedTokens: number;
  generatedTokens: number;
}

/** A prompt as the model got it, and what the model answered. */
export interface Exchange {
  readonly prompt: string;
  answer: string;
}

const scopes = new AsyncLocalStorage<RequestScope | undefined>();

/** Undefined outside of requests. */
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

export function noteSubject(name: string): void {
  const request = currentRequest();
  if (request) request.subject = name;
}

/** Keeps the first failure. */
export function noteFailure(code: ErrorCode, reason?: string): void {
  const request = currentRequest();
  if (request === undefined || request.failure !== undefined) return;
  request.failure = code;
  if (reason !== undefined) request.reason = reason;
}

/** The error that the current request was canceled with. Undefined: it was not, or without one. */
export function cancelReason(): HearthError | undefined {
  const reason: unknown = currentRequest()?.signal.reason;
  return reason instanceof HearthError ? reason : undefined;
}

/** What is thrown in a canceled request does not know why it was canceled. */
export function withCancelReason<Thrown>(thrown: Thrown): Thrown | HearthError {
  const isCanceled = thrown instanceof HearthError && thrown.code === 'cancelled';
  return isCanceled ? (cancelReason() ?? thrown) : thrown;
}

/** Options of the request that the model does not have. Must be called before the response starts. */
export function noteIgnoredOptions(options: readonly string[] = []): void {
  if (options.length > 0) currentRequest()?.reportIgnored?.(options);
}

/** For work that a request starts but that outlives it. */
export function runOutsideRequests<Result>(work: () => Result): Result {
  return scopes.run(undefined, work);
}
