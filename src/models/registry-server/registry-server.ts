// The library's HTTP: routes of the distribution protocol over Fastify, as the main server has it. Bodies are left to the
// routes, which stream them; failures have the protocol's own shape.

import Fastify, { type FastifyInstance } from 'fastify';
import { messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { registryServerLimits } from './limits.ts';
import { protocolError, toProtocolErrorResponse } from './protocol-error.ts';
import type { AddRoutes } from './routes/paths.ts';

export interface RegistryHttpServerOptions {
  readonly routes: readonly AddRoutes[];
  readonly logger: Logger;
}

const maxParameter = 256;

export function createRegistryHttpServer({ routes, logger }: RegistryHttpServerOptions): FastifyInstance {
  const app = Fastify({
    routerOptions: { maxParamLength: maxParameter },
    // A large upload over a slow line takes as long as it takes; one that has fallen silent does not.
    requestTimeout: 0,
    connectionTimeout: registryServerLimits.silenceMs,
    forceCloseConnections: 'idle',
  });
  app.server.maxConnections = registryServerLimits.connections;
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));

  app.addHook('onRequest', async (_request, reply) => {
    reply.header('docker-distribution-api-version', 'registry/2.0');
  });
  for (const addRoutes of routes) addRoutes(app);

  app.setNotFoundHandler((request) => {
    const path = request.url.split('?', 1)[0];
    if (request.method !== 'GET' && request.method !== 'HEAD')
      throw protocolError('UNSUPPORTED', `${request.method} of ${path} is not something that this library does`);
    throw protocolError('NAME_UNKNOWN', `there is no ${path}; a repository here is <namespace>/<model>`);
  });
  app.setErrorHandler((error: Error, request, reply) => {
    const { status, headers, body, isFault } = toProtocolErrorResponse(error);
    // A caller that went away is nobody's fault, and nobody reads the answer.
    if (isFault && !request.raw.destroyed)
      logger.error(messageOf(error), { path: request.url.split('?', 1)[0], method: request.method });
    // What is left of a body is read and dropped: many clients do not listen before they have sent it all.
    request.raw.resume();
    return reply.code(status).headers(headers).type('application/json; charset=utf-8').send(body);
  });
  return app;
}
