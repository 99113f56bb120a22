// The HTTP server of the registry: routes of the OCI distribution protocol on Fastify. Routes stream bodies themselves;
// errors have the format of the protocol.

import Fastify, { type FastifyInstance } from 'fastify';
import { messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { connectionsWithin, limitConnections, readOpenFileLimit } from '../../base/process/limit-connections.ts';
import { type TlsListener, withTls } from '../../base/tls/tls-listener.ts';
import { registryServerLimits } from './limits.ts';
import { protocolError, toProtocolErrorResponse } from './protocol-error.ts';
import type { AddRoutes } from './routes/paths.ts';

interface RegistryHttpServerOptions {
  readonly routes: readonly AddRoutes[];
  /** Absent: the registry has no TLS. */
  readonly tls?: TlsListener;
  readonly logger: Logger;
}

const maxParameter = 256;

export function createRegistryHttpServer({ routes, tls, logger }: RegistryHttpServerOptions): FastifyInstance {
  const app = Fastify({
    ...withTls(tls),
    routerOptions: { maxParamLength: maxParameter },
    // A large upload over a slow connection has no time limit, but an idle connection is closed.
    requestTimeout: 0,
    connectionTimeout: registryServerLimits.idleConnectionMs,
    forceCloseConnections: 'idle',
  });
  if (tls !== undefined) app.addHook('preClose', async () => tls.close());
  limitConnections(app.server, {
    total: Math.min(registryServerLimits.connections, connectionsWithin(readOpenFileLimit())),
    perAddress: registryServerLimits.connectionsPerAddress,
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));

  app.addHook('onRequest', async (_request, reply) => {
    reply.header('docker-distribution-api-version', 'registry/2.0');
  });
  for (const addRoutes of routes) addRoutes(app);

  app.setNotFoundHandler((request) => {
    const path = request.url.split('?', 1)[0];
    if (request.method !== 'GET' && request.method !== 'HEAD')
      throw protocolError('UNSUPPORTED', `${request.method} ${path} is not supported`);
    throw protocolError('NAME_UNKNOWN', `${path} not found; a repository is <namespace>/<model>`);
  });
  app.setErrorHandler((error: Error, request, reply) => {
    const { status, headers, body, isServerFault } = toProtocolErrorResponse(error);
    // Errors after the client has disconnected are not logged.
    if (isServerFault && !request.raw.destroyed)
      logger.error(messageOf(error), { path: request.url.split('?', 1)[0], method: request.method });
    // Drains the rest of the body: many clients read the response only after they have sent it all.
    request.raw.resume();
    return reply.code(status).headers(headers).type('application/json; charset=utf-8').send(body);
  });
  return app;
}
