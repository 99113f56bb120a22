// Limits on connections: how many there are, how many requests wait on one, and how long a slow client keeps one.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from '../../../base/logger.ts';
import { limitConnections } from '../../../base/process/limit-connections.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { socketPeer } from '../access/from-this-machine.ts';
import { watchReader } from '../streaming/send-stream.ts';
import { closeIfUnfinished } from './receive-body.ts';

export interface ConnectionOptions {
  /** Absent: as many as there are. */
  readonly maxConnections?: number;
  /** Milliseconds that a client may pause while it sends a request. */
  readonly receiveTimeout?: number;
  /** Milliseconds that a client may leave a response unread. */
  readonly stallTimeout?: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Before all other hooks: a request that is over a limit must cost nothing. */
export function acceptConnections(app: FastifyInstance, options: ConnectionOptions): void {
  const { maxConnections: total = Number.POSITIVE_INFINITY, logger } = options;
  nameSocketPeers(app.server);
  limitConnections(app.server, { total, onRefuse: createConnectionWarning(options) });
  const limit = createPipelineLimit(() =>
    logger.warn(`closed a connection: more than ${maxPipelined} requests without a response`),
  );
  app.addHook('onRequest', ({ raw: message }, reply, next) => {
    if (limit.admit(message, reply.raw)) next();
    else reply.hijack();
  });
}

/** A connection that has ended has no address either, and must not count as one to a Unix socket. */
function nameSocketPeers(server: Server): void {
  server.prependListener('connection', (connection: Socket) => {
    if (typeof server.address() === 'string')
      Object.defineProperty(connection, 'remoteAddress', { value: socketPeer, configurable: true });
  });
}

const warningIntervalMs = 10_000;

function createConnectionWarning({ clock, logger, maxConnections }: ConnectionOptions): () => void {
  let lastMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (clock.now() - lastMs < warningIntervalMs) return;
    lastMs = clock.now();
    logger.warn('refused a connection: there are too many; a higher `ulimit -n` allows more', { maxConnections });
  };
}

/** Closes the connections of clients that neither finish their request nor read their response. */
export function closeSlowConnections(
  app: FastifyInstance,
  { clock, logger, receiveTimeout, stallTimeout }: ConnectionOptions,
): void {
  app.addHook('onRequest', ({ raw: message }, { raw: response }, next) => {
    const onStall = (): void => {
      logger.warn('closed a connection: the client does not read its response');
      response.destroy();
    };
    if (receiveTimeout !== undefined)
      response.once('finish', () => closeIfUnfinished(message, { clock, timeout: receiveTimeout }));
    if (stallTimeout !== undefined)
      response.once('close', watchReader(message.socket, { clock, timeoutMs: stallTimeout, onStall }));
    next();
  });
}

// Requests that a client sends without waiting for the responses all run at once, so one small packet could start
// thousands.
const maxPipelined = 100;

/** `onExceeded` is called once per connection. */
function createPipelineLimit(onExceeded: () => void) {
  const running = new WeakMap<Socket, number>();
  return {
    /** Counts a request until its response has ended. False: the connection has too many and is closed. */
    admit({ socket }: IncomingMessage, response: ServerResponse): boolean {
      // Requests that were in the same packet still arrive after the connection was closed.
      if (socket.destroyed) return false;
      const count = (running.get(socket) ?? 0) + 1;
      if (count > maxPipelined) {
        onExceeded();
        socket.destroy();
        return false;
      }
      running.set(socket, count);
      response.once('close', () => running.set(socket, (running.get(socket) ?? 1) - 1));
      return true;
    },
  };
}
