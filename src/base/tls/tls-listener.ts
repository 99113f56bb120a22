// HTTP servers with TLS. Their certificate is replaced when its files change; open connections keep the old one.

import { type RequestListener, type ServerOptions, STATUS_CODES } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { messageOf, systemCodeOf } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { Clock } from '../time/clock.ts';
import { describeHandshakeProblem, plainHttpCode } from './handshake-problems.ts';
import { readTlsFiles, type TlsFiles, type TlsPaths } from './tls-files.ts';
import { watchFiles } from './watch-files.ts';

/** Options of the HTTP framework. Milliseconds. */
interface ServerLimits {
  readonly http?: ServerOptions;
  readonly keepAliveTimeout: number;
  readonly requestTimeout: number;
  readonly connectionTimeout: number;
}

interface TlsListenerOptions {
  readonly paths: TlsPaths;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly handshakeTimeoutMs?: number;
}

const defaultHandshakeTimeoutMs = 10_000;
export const tlsWatchIntervalMs = 2000;

export function createTlsListener(options: TlsListenerOptions) {
  const { paths, clock, logger, handshakeTimeoutMs = defaultHandshakeTimeoutMs } = options;
  const servers = new Set<Server>();
  const unfinished = new Map<string, Socket>();
  let files: TlsFiles | undefined;
  let stopWatch = (): void => {};
  let closed = false;

  const load = async (): Promise<void> => {
    files = await readTlsFiles(paths, clock.now());
    for (const warning of files.warnings) logger.warn(warning);
    for (const server of servers) server.setSecureContext(toContextOptions(files));
  };
  const reload = async (): Promise<void> => {
    try {
      await load();
      logger.info('loaded the new TLS certificate', { file: paths.cert });
    } catch (error) {
      logger.error(`the TLS files have changed, but the old ones stay in use: ${messageOf(error)}`);
    }
  };

  return {
    /** Reads the files and watches them. Must be called before a server listens. Throws `bad_configuration`. */
    async load(): Promise<void> {
      // The first look comes before the files are read: a change in between is found later.
      stopWatch = await watchFiles({
        paths: Object.values(paths),
        clock,
        intervalMs: tlsWatchIntervalMs,
        onChange: reload,
      });
      try {
        await load();
      } catch (error) {
        stopWatch();
        throw error;
      }
    },
    createServer(
      handler: RequestListener,
      { http = {}, keepAliveTimeout, requestTimeout, connectionTimeout }: ServerLimits,
    ): Server {
      const clients = paths.clientCa === undefined ? {} : { requestCert: true, rejectUnauthorized: true };
      const server = createServer({ ...http, ...clients, ...versions, handshakeTimeout: handshakeTimeoutMs }, handler);
      Object.assign(server, { keepAliveTimeout, requestTimeout });
      server.setTimeout(connectionTimeout);
      if (files !== undefined) server.setSecureContext(toContextOptions(files));
      servers.add(server);
      trackHandshakes(server, unfinished);
      // A connection may arrive before the server has stopped listening.
      server.on('connection', (socket: Socket) => {
        if (closed) socket.destroy();
      });
      // Before Node's own listener, which destroys the socket.
      server.prependListener('tlsClientError', (error, socket) => {
        const problem = describeHandshakeProblem(error, socket);
        const connection = unfinished.get(keyOf(socket));
        if (systemCodeOf(error) === plainHttpCode) connection?.end(plainHttpAnswer);
        const address = connection?.remoteAddress ?? socket.remoteAddress;
        if (problem !== undefined) logger.info('refused a TLS connection', { reason: problem, address });
      });
      return server;
    },
    /** Ends the watch and all unfinished handshakes, which the servers do not know. */
    close(): void {
      closed = true;
      stopWatch();
      for (const socket of unfinished.values()) socket.destroy();
    },
  };
}

export type TlsListener = ReturnType<typeof createTlsListener>;

/**
 * An option for Fastify. With its own TLS option, nothing has access to the server to replace its certificate. With this
 * one, `localhost` is only the first of its addresses.
 */
export function withTls(tls: TlsListener | undefined) {
  if (tls === undefined) return {};
  const serverFactory = (handler: RequestListener, options: object): Server =>
    tls.createServer(handler, options as ServerLimits);
  return { serverFactory };
}

/** The framework knows nothing about the TLS of its server. */
export function toHttps(address: string): string {
  return address.replace(/^http:/, 'https:');
}

const versions = { minVersion: 'TLSv1.2' } as const;

function toContextOptions({ cert, key, clientCa }: TlsFiles) {
  return { cert, key, ...versions, ca: clientCa };
}

/** Node gives no way from an encrypted socket to the connection below it, but both have the same addresses. */
function trackHandshakes(server: Server, unfinished: Map<string, Socket>): void {
  server.on('connection', (socket: Socket) => {
    const key = keyOf(socket);
    unfinished.set(key, socket);
    socket.once('close', () => {
      if (unfinished.get(key) === socket) unfinished.delete(key);
    });
  });
  server.on('secureConnection', (socket) => unfinished.delete(keyOf(socket)));
}

function keyOf({ remoteAddress, remotePort, localAddress, localPort }: Socket | TLSSocket): string {
  return [remoteAddress, remotePort, localAddress, localPort].join(' ');
}

const plainHttpBody = JSON.stringify({ error: 'this server uses TLS: use https:// instead of http://' });
const plainHttpAnswer = [
  `HTTP/1.1 400 ${STATUS_CODES[400]}`,
  'content-type: application/json; charset=utf-8',
  `content-length: ${plainHttpBody.length}`,
  'connection: close',
  '',
  plainHttpBody,
].join('\r\n');
