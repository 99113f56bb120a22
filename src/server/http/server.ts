// The HTTP server: checks Host and Origin, finds the route, reads the body, and sends errors in the dialect of the route.

import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { HearthError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { noteFailure } from '../../base/request-scope.ts';
import type { HostCheck } from './access/host-header.ts';
import { corsHeaders, type OriginCheck } from './access/origin.ts';
import { parseBody, pickFields } from './body.ts';
import { type DialectTable, findDialect } from './dialect.ts';
import { fromFastifyError } from './from-fastify-error.ts';
import type { RequestTable } from './requests.ts';
import type { Route } from './route.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Absent for paths that no route has. */
    readonly route?: Route;
  }
}

export interface HttpServerOptions {
  readonly routes: readonly Route[];
  /** For requests that match no route. */
  readonly dialects: DialectTable;
  readonly requests: RequestTable;
  readonly maxBodyBytes: number;
  readonly isAllowedOrigin: OriginCheck;
  /** Absent: any Host header is accepted. */
  readonly isAllowedHost?: HostCheck;
  readonly logger: Logger;
}

export function createHttpServer({
  routes,
  dialects,
  requests,
  maxBodyBytes,
  isAllowedOrigin,
  isAllowedHost,
  logger,
}: HttpServerOptions): FastifyInstance {
  const sendError = createErrorSender(dialects, logger);
  const app = Fastify({
    bodyLimit: maxBodyBytes,
    // Uploading a large file over a slow connection may take hours.
    requestTimeout: 0,
    forceCloseConnections: 'idle',
    // Errors before routing, such as a path with an invalid escape.
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply),
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false, allErrors: false } },
  });

  app.addHook('onRequest', async (request, reply) => requests.admit(request, reply));
  app.addHook('onRequest', async (request, reply) => {
    if (isAllowedHost && !isAllowedHost(request.headers.host)) {
      throw new HearthError('forbidden', 'the Host header does not name this machine');
    }
    const { origin } = request.headers;
    if (origin !== undefined && !isAllowedOrigin(origin, request.headers.host)) {
      throw new HearthError('forbidden', `origin ${origin} is not allowed; HEARTH_ORIGINS can allow it`);
    }
    if (origin !== undefined) reply.headers(corsHeaders(origin, request.method === 'OPTIONS'));
    if (request.method === 'OPTIONS') await reply.code(204).send();
  });

  // Every body is read as JSON, whatever its content type: curl sends a form's by default.
  app.addHook('onRequest', async ({ headers }) => {
    headers['content-type'] = 'application/json';
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  for (const route of routes.filter(({ readsBody }) => !readsBody)) addRoute(app, route, requests);
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    for (const route of routes.filter(({ readsBody }) => readsBody)) addRoute(scope, route, requests);
  });
  for (const path of new Set(routes.map((route) => route.path))) refuseOtherMethods(app, path, routes);

  app.setNotFoundHandler((request) => {
    throw new HearthError('path_not_found', `path ${request.url.split('?', 1)[0]} not found`);
  });
  app.setErrorHandler((error: FastifyError | HearthError, request, reply) =>
    requests.within(request, () => sendError(error, request, reply)),
  );
  return app;
}

function addRoute(app: FastifyInstance, route: Route, requests: RequestTable): void {
  const { method, path, body, handle } = route;
  app.route({
    method,
    url: path,
    config: { route },
    ...(body === undefined
      ? {}
      : {
          schema: { body },
          preValidation: async (request: FastifyRequest) => {
            request.body = pickFields(body, parseBody(request.body as Buffer | undefined));
          },
        }),
    // Fastify adds HEAD to GET routes; a path without GET has its own HEAD route.
    exposeHeadRoute: method === 'GET',
    handler: async (request, reply) => requests.within(request, () => handle(request, reply)),
  });
}

const knownMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

function refuseOtherMethods(app: FastifyInstance, path: string, routes: readonly Route[]): void {
  const samePath = routes.filter((route) => route.path === path);
  const offered = new Set<string>(samePath.map((route) => route.method));
  if (offered.has('GET')) offered.add('HEAD');
  const others = knownMethods.filter((method) => !offered.has(method));
  const refuse = async (request: FastifyRequest, reply: FastifyReply): Promise<never> => {
    reply.header('allow', [...offered].join(', '));
    throw new HearthError('method_not_allowed', `method ${request.method} not allowed for ${path}`);
  };
  app.route({ method: others, url: path, onRequest: refuse, handler: refuse, exposeHeadRoute: false });
}

type SendError = (error: FastifyError | HearthError, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

function createErrorSender(dialects: DialectTable, logger: Logger): SendError {
  return (thrown, { url, routeOptions }, reply) => {
    const error = thrown instanceof HearthError ? thrown : fromFastifyError(thrown);
    const dialect = routeOptions?.config?.route?.dialect ?? findDialect(dialects, url);
    const status = dialect.statusOf(error.code);
    noteFailure(error.code);
    if (status >= 500) logger.error(error.message, { code: error.code, path: routeOptions?.url ?? url });
    if (error.code === 'internal') logger.error(String(thrown.stack));
    if ('retryAfterSeconds' in error) void reply.header('retry-after', String(error.retryAfterSeconds));
    return reply.code(status).send(dialect.toErrorBody(error));
  };
}
