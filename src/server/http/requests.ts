// The table of running requests. Each has an id, which the response carries in a header and which can cancel it.

import { randomFillSync } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HearthError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { parsePassedServers, passedServersHeader } from '../../base/request/passed-servers.ts';
import { RequestReport } from '../../base/request/request-report.ts';
import { type ClientSeparation, type RequestScope, runInRequest } from '../../base/request/request-scope.ts';
import { sessionOfHeaders } from '../../base/request/session-hint.ts';
import type { Clock } from '../../base/time/clock.ts';
import { nanosecondsPerSecond } from '../../base/time/duration.ts';
import type { AccessControl } from './access/access-control.ts';
import { createIdentifyCaller, type IdentifyCaller } from './access/caller-identity.ts';
import { type Activity, toWork } from './activity.ts';
import type { AuditRequest } from './audit.ts';
import { hearthHeaders } from './hearth-headers.ts';
import { IgnoredFields } from './ignored-fields.ts';
import { type InternalSender, internalRequestOf } from './internal-requests.ts';
import { openTrace, type TraceExport } from './open-trace.ts';
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

declare module 'fastify' {
  interface FastifyRequest {
    /** Who sends the request. The work of its route runs in this scope. */
    scope: RequestScope;
    /** What the work finds out. Routes hand it to their services. */
    report: RequestReport;
  }
}

const requestIdHeader = 'x-request-id';
/** The name that clients of the Anthropic dialect read. */
const otherRequestIdHeader = 'request-id';

export interface HeldRequest extends Pick<FastifyRequest, 'scope' | 'report'> {
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
  /** Called at the end of every request, in its scope. */
  readonly audit?: AuditRequest;
  /** Called when a request of a metered route has ended, and work that goes on after its response. */
  readonly onFinished?: (request: FinishedRequest) => void;
  /** Called for a request of a metered route. The result is called when its work has ended. */
  readonly beginWork?: Activity['begin'];
  /** Whether the texts of answers are kept until then. */
  readonly keepsTexts?: boolean;
  /** Absent: traces are not exported. */
  readonly traceExport?: TraceExport | undefined;
  /** Whether a field without effect is an error. */
  readonly strictFields?: boolean;
  /** How callers without keys at one address are told apart; absent: they are not. */
  readonly separateClients?: ClientSeparation;
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

export class RequestTable {
  readonly #options: RequestTableOptions;
  readonly #newId = createRandomIds();
  readonly #running = new Map<string, RunningRequest>();
  readonly #ignoredFields: IgnoredFields;
  readonly #identifyCaller: IdentifyCaller;

  constructor(options: RequestTableOptions) {
    this.#options = options;
    this.#ignoredFields = new IgnoredFields(options.logger, options.strictFields ?? false);
    this.#identifyCaller = createIdentifyCaller(options.separateClients ?? 'address');
  }

  /** Keeps the request in the table until its response ends or the connection closes, and longer if it is held. */
  admit(request: FastifyRequest, reply: FastifyReply): void {
    const { clock, logger, identify, watchKey, beginWork, traceExport, keepsTexts = false } = this.#options;
    const id = this.#newId();
    const startedAt = clock.monotonic();
    const controller = new AbortController();
    // One request may generate many choices, and each of them listens.
    setMaxListeners(0, controller.signal);
    const internal = internalRequestOf(request);
    const key = internal ? internal.key : identify?.(request.headers);
    const caller = internal ? callerOf(internal.sender) : this.#identifyCaller(request, key);
    const scope: RequestScope = {
      id,
      ...caller,
      session: sessionOfHeaders(request.headers),
      key,
      passedServers: passedServersOf(request),
      trace: openTrace(request.headers, isMetered(request), { clock, newId: this.#newId, traceExport }),
      signal: controller.signal,
    };
    const onIgnored = (names: readonly string[]): void => this.#ignoredFields.note(request, reply, names);
    const onChosen = (model: string): void => {
      if (!reply.raw.headersSent) void reply.header(hearthHeaders.model, model);
    };
    const report = new RequestReport({ arrivedAt: startedAt, keepsTexts, onIgnored, onChosen });
    request.scope = scope;
    request.report = report;
    const end = (): void => {
      this.#running.delete(id);
      // The connection says nothing about the outcome of work that did not need it.
      const finished = entry.isHeld !== undefined || reply.raw.writableFinished;
      if (!finished) controller.abort();
      const state = () => ({
        finished,
        seconds: (clock.monotonic() - startedAt) / nanosecondsPerSecond,
        status: reply.raw.statusCode,
      });
      runInRequest(scope, () => {
        const ended = toEnd(request, report, state());
        logEnd(logger, ended, request, reply.raw.statusCode);
        this.#options.audit?.(request, ended.outcome);
        this.#options.onEnd?.(ended);
      });
      for (const listener of entry.listeners) listener();
      void this.#finish(request, state).finally(unwatch).finally(endWork);
    };
    const onRevoked = (error: HearthError): void => {
      controller.abort(error);
      report.continuation?.cancel(error);
    };
    const unwatch = key && watchKey?.(key, onRevoked);
    const endWork = isMetered(request) ? beginWork?.(toWork(request, clock.now())) : undefined;
    const polled = isPolled(request);
    const entry: RunningRequest = { client: scope.client, controller, polled, listeners: [], isConnected: true, end };
    this.#running.set(id, entry);
    void reply.header(requestIdHeader, id).header(otherRequestIdHeader, id);
    onceClosed(request, reply, () => {
      entry.isConnected = false;
      endIfLeft(entry);
    });
  }

  /** Whether there is a running request with this id that the viewer may see. */
  isVisible(viewer: Viewer, id: string): boolean {
    return this.#findFor(viewer, id) !== undefined;
  }

  /** Throws if there is no such request. */
  cancel(viewer: Viewer, id: string): void {
    const request = this.#findFor(viewer, id);
    // The same error whether or not the request of another client exists.
    if (request === undefined) throw new HearthError('request_not_found', `request "${id}" not found`);
    request.controller.abort();
  }

  /** Whether a request is running, other than of a polled route. */
  isBusy(): boolean {
    return [...this.#running.values()].some(({ polled }) => !polled);
  }

  /** Keeps the request after its connection closes, until it is released. Only `cancel` aborts its signal then. */
  hold({ scope, report }: FastifyRequest): HeldRequest {
    // Undefined if the client has disconnected already.
    const entry = this.#running.get(scope.id);
    if (entry) entry.isHeld = true;
    return {
      scope,
      report,
      cancel: () => entry?.controller.abort(),
      release() {
        if (!entry?.isHeld) return;
        entry.isHeld = false;
        endIfLeft(entry);
      },
    };
  }

  /** Calls the listener once when an admitted request has ended. */
  onceEnded({ scope }: FastifyRequest, listener: () => void): void {
    const entry = this.#running.get(scope.id);
    if (entry) entry.listeners.push(listener);
    else listener();
  }

  #findFor({ client, seesAll }: Viewer, id: string): RunningRequest | undefined {
    const request = this.#running.get(id);
    return seesAll || request?.client === client ? request : undefined;
  }

  async #finish(request: FastifyRequest, state: () => EndState): Promise<void> {
    await request.report.continuation?.ended;
    const finished = toFinished(request, state());
    if (finished !== undefined) this.#options.onFinished?.(finished);
  }
}

function callerOf({ client, partition, background }: InternalSender) {
  return { client, partition, background };
}

function passedServersOf({ headers }: FastifyRequest): readonly string[] | undefined {
  const header = headers[passedServersHeader];
  return header === undefined ? undefined : parsePassedServers(String(header));
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

export function viewerOf({ scope: { client, key } }: Pick<FastifyRequest, 'scope'>): Viewer {
  return { client, seesAll: key?.scope === 'admin', hasKey: key !== undefined };
}

/** What is thrown in a canceled request does not know why it was canceled. */
export function withCancelReason<Thrown>(thrown: Thrown, { reason }: AbortSignal): Thrown | HearthError {
  const isCanceled = thrown instanceof HearthError && thrown.code === 'cancelled';
  return isCanceled && reason instanceof HearthError ? reason : thrown;
}

// Unguessable ids. Random bytes are taken in blocks, because each call of the generator costs as much as a block.
const idBytes = 8;
const blockBytes = 512 * idBytes;

/** Returns a function that makes ids of 64 random bits, in hexadecimal. */
export function createRandomIds(): () => string {
  const block = Buffer.alloc(blockBytes);
  let used = blockBytes;
  return () => {
    if (used === blockBytes) {
      randomFillSync(block);
      used = 0;
    }
    const start = used;
    used += idBytes;
    return block.toString('hex', start, used);
  };
}
