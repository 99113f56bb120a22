// The table of running requests. Each has an id, which the response carries in a header and which can cancel it.

import { setMaxListeners } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HearthError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { CallerKey } from '../../base/request/caller-key.ts';
import { parsePassedServers, passedServersHeader } from '../../base/request/passed-servers.ts';
import { currentRequest, type RequestScope, runInRequest } from '../../base/request/request-scope.ts';
import type { Clock } from '../../base/time/clock.ts';
import { nanosecondsPerSecond } from '../../base/time/duration.ts';
import type { AccessControl } from './access/access-control.ts';
import { callerIdentity } from './access/caller-identity.ts';
import { type Activity, toWork } from './activity.ts';
import type { AuditRequest } from './audit.ts';
import { hearthHeaders } from './hearth-headers.ts';
import { createRandomIds } from './random-ids.ts';
import {
  type EndState,
  type FinishedRequest,
  isMetered,
  isPolled,
  logEnd,
  type RequestEnd,
  toEnd,
  toFinished,
} from './request-end.ts';

export const requestIdHeader = 'x-request-id';
/** The name that clients of the Anthropic dialect read. */
export const otherRequestIdHeader = 'request-id';

export interface RequestTable {
  /** Keeps the request in the table until its response ends or the connection closes, and longer if it is held. */
  admit(request: FastifyRequest, reply: FastifyReply): void;
  /** Runs `work` in the scope of an admitted request. */
  within<Result>(request: FastifyRequest, work: () => Result): Result;
  /** The client of an admitted request. */
  clientOf(request: FastifyRequest): string;
  /** The key of an admitted request. */
  keyOf(request: FastifyRequest): CallerKey | undefined;
  /** Whether there is a running request with this id that the viewer may see. */
  isVisible(viewer: Viewer, id: string): boolean;
  /** Throws if there is no such request. */
  cancel(viewer: Viewer, id: string): void;
  /** Whether a request is running, other than of a polled route. */
  isBusy(): boolean;
  /** Keeps the current request after its connection closes, until it is released. Only `cancel` aborts its signal then. */
  hold(): HeldRequest;
  /** Calls the listener once when an admitted request has ended. */
  onceEnded(request: FastifyRequest, listener: () => void): void;
}

export interface HeldRequest {
  readonly id: string;
  readonly client: string;
  cancel(): void;
  release(): void;
}

/** A caller who asks about requests. */
export interface Viewer {
  readonly client: string;
  /** An administrator sees the requests of all clients. */
  readonly seesAll: boolean;
  readonly hasKey: boolean;
}

export interface RequestTableOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Absent: the server has no keys. */
  readonly identify?: AccessControl['identify'];
  /** Absent: keys are never revoked. */
  readonly watchKey?: AccessControl['watchKey'];
  /** Called when the response has ended, and the request is not held. */
  readonly onEnd?: (end: RequestEnd) => void;
  /** Called in the scope of the request. */
  readonly audit?: AuditRequest;
  /** Called when a request of a metered route has ended, and work that goes on after its response. */
  readonly onFinished?: (request: FinishedRequest) => void;
  /** Called for a request of a metered route. The result is called when its work has ended. */
  readonly beginWork?: Activity['begin'];
  /** Whether the texts of answers are kept until then. */
  readonly keepsTexts?: boolean;
}

interface RunningRequest {
  readonly client: string;
  readonly controller: AbortController;
  readonly polled: boolean;
  readonly listeners: (() => void)[];
  isConnected: boolean;
  /** Undefined: it never was. False: not any more. */
  isHeld?: boolean;
  /** Called when it is neither connected nor held. */
  readonly end: () => void;
}

export function createRequestTable(options: RequestTableOptions): RequestTable {
  const { clock, logger, identify = () => undefined, onEnd = () => {}, audit = () => {}, keepsTexts } = options;
  const { onFinished = () => {}, beginWork = () => () => {}, watchKey = () => () => {} } = options;
  const newId = createRandomIds();
  const running = new Map<string, RunningRequest>();
  const scopes = new WeakMap<FastifyRequest, RequestScope>();
  const finish = async (request: FastifyRequest, scope: RequestScope, state: () => EndState): Promise<void> => {
    await scope.continuation?.ended;
    const finished = toFinished(request, scope, state());
    if (finished !== undefined) onFinished(finished);
  };

  const findFor = ({ client, seesAll }: Viewer, id: string): RunningRequest | undefined => {
    const request = running.get(id);
    return seesAll || request?.client === client ? request : undefined;
  };

  return {
    admit(request, reply) {
      const id = newId();
      const startedAt = clock.monotonic();
      const controller = new AbortController();
      // One request may generate many choices, and each of them listens.
      setMaxListeners(0, controller.signal);
      const key = identify(request.headers);
      const client = callerIdentity(request, key);
      const scope: RequestScope = {
        id,
        client,
        signal: controller.signal,
        ...(key === undefined ? {} : { key }),
        ...passedServersOf(request),
        ...(keepsTexts ? { exchanges: [] } : {}),
        reportIgnored(names) {
          if (!reply.raw.headersSent) void reply.header(hearthHeaders.ignoredOptions, names.join(', '));
        },
      };
      const end = (): void => {
        running.delete(id);
        // The connection says nothing about the outcome of work that did not need it.
        const finished = entry.isHeld !== undefined || reply.raw.writableFinished;
        if (!finished) controller.abort();
        const state = () => ({ finished, seconds: (clock.monotonic() - startedAt) / nanosecondsPerSecond });
        runInRequest(scope, () => {
          const ended = toEnd(request, scope, state());
          logEnd(logger, ended, { request, scope, status: reply.raw.statusCode });
          audit(request, ended.outcome);
          onEnd(ended);
        });
        for (const listener of entry.listeners) listener();
        void finish(request, scope, state).finally(unwatch).finally(endWork);
      };
      const onRevoked = (error: HearthError): void => {
        controller.abort(error);
        scope.continuation?.cancel(error);
      };
      const unwatch = key === undefined ? () => {} : watchKey(key, onRevoked);
      const endWork = isMetered(request) ? beginWork(toWork(request, scope, clock.now())) : () => {};
      const polled = isPolled(request);
      const entry: RunningRequest = { client, controller, polled, listeners: [], isConnected: true, end };
      running.set(id, entry);
      scopes.set(request, scope);
      void reply.header(requestIdHeader, id).header(otherRequestIdHeader, id);
      onceClosed(request, reply, () => {
        entry.isConnected = false;
        endIfLeft(entry);
      });
    },
    within(request, work) {
      const scope = scopes.get(request);
      return scope === undefined ? work() : runInRequest(scope, work);
    },
    clientOf: (request) => scopes.get(request)?.client ?? callerIdentity(request),
    keyOf: (request) => scopes.get(request)?.key,
    isVisible: (viewer, id) => findFor(viewer, id) !== undefined,
    cancel(viewer, id) {
      const request = findFor(viewer, id);
      // The same error whether or not the request of another client exists.
      if (request === undefined) throw new HearthError('request_not_found', `request "${id}" not found`);
      request.controller.abort();
    },
    isBusy: () => [...running.values()].some(({ polled }) => !polled),
    hold() {
      const { id, client } = requireRequest();
      // Undefined if the client has disconnected already.
      const entry = running.get(id);
      if (entry) entry.isHeld = true;
      return {
        id,
        client,
        cancel: () => entry?.controller.abort(),
        release() {
          if (!entry?.isHeld) return;
          entry.isHeld = false;
          endIfLeft(entry);
        },
      };
    },
    onceEnded(request, listener) {
      const entry = running.get(scopes.get(request)?.id ?? '');
      if (entry) entry.listeners.push(listener);
      else listener();
    },
  };
}

function passedServersOf({ headers }: FastifyRequest): Pick<RequestScope, 'passedServers'> {
  const header = headers[passedServersHeader];
  return header === undefined ? {} : { passedServers: parsePassedServers(String(header)) };
}

function endIfLeft({ isConnected, isHeld, end }: RunningRequest): void {
  if (!isConnected && !isHeld) end();
}

/**
 * When the connection closes, Node closes only the response that is being sent, and not those of pipelined requests
 * behind it.
 */
function onceClosed({ raw: { socket } }: FastifyRequest, { raw: response }: FastifyReply, listener: () => void): void {
  let isClosed = false;
  const close = (): void => {
    response.off('close', close);
    socket.off('close', close);
    // A response that closes with its connection emits while the connection does, which has its listeners already.
    if (isClosed) return;
    isClosed = true;
    listener();
  };
  // Each pipelined request of the connection listens.
  socket.setMaxListeners(0);
  response.once('close', close);
  socket.once('close', close);
}

/** The signal of the current request. It fires when the client disconnects or the request is canceled by its id. */
export function requestSignal(): AbortSignal {
  return requireRequest().signal;
}

/** Who sends the current request. */
export function requestViewer(): Viewer {
  const { client, key } = requireRequest();
  return { client, seesAll: key?.scope === 'admin', hasKey: key !== undefined };
}

function requireRequest(): RequestScope {
  const request = currentRequest();
  if (request === undefined) throw new Error('called outside of a request');
  return request;
}
