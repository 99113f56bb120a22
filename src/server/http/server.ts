// The HTTP server: checks who asks, finds the route, reads the body, and turns every failure into the same shape.

import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { HearthError, toHearthError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { noteFailure } from '../../base/request-scope.ts';
import type { ErrorResponse } from '../dialects/ollama/error-schema.ts';
import { isOpenAiPath, openAiStatusOf, toOpenAiError } from '../dialects/openai/error-response.ts';
import type { OpenAiError } from '../dialects/openai/error-schema.ts';
import { parseBody, pickFields } from './body.ts';
import { statusOf } from './error-status.ts';
import type { HostCheck } from './host-header.ts';
import { corsHeaders, type OriginCheck } from './origin.ts';
import type { RequestTable } from './requests.ts';
import type { Route } from './route.ts';

export interface HttpServerOptions {
  readonly routes: readonly Route[];
  readonly requests: RequestTable;
  readonly maxBodyBytes: number;
  readonly isAllowedOrigin: OriginCheck;
  /** Absent where any name may lead here. */
  readonly isAllowedHost?: HostCheck;
  readonly logger: Logger;
}

export function createHttpServer({
  routes,
  requests,
  maxBodyBytes,
  isAllowedOrigin,
  isAllowedHost,
  logger,
}: HttpServerOptions): FastifyInstance {
  const app = Fastify({
    bodyLimit: maxBodyBytes,
    // A large upload over a slow line takes as long as it takes.
    requestTimeout: 0,
    // Node's own answer to a malformed request is no JSON, but neither was the request.
    forceCloseConnections: 'idle',
    // What Fastify itself cannot make sense of, such as a path with a broken escape.
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply, logger),
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

  // Any content type is taken for JSON, also one that is none: curl sends a form's by default.
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
    throw new HearthError('path_not_found', `there is no ${request.url.split('?', 1)[0]}`);
  });
  app.setErrorHandler((error: FastifyError | HearthError, request, reply) =>
    requests.within(request, () => sendError(error, request, reply, logger)),
  );
  return app;
}

function addRoute(app: FastifyInstance, { method, path, body, handle }: Route, requests: RequestTable): void {
  app.route({
    method,
    url: path,
    ...(body === undefined
      ? {}
      : {
          schema: { body },
          preValidation: async (request: FastifyRequest) => {
            request.body = pickFields(body, parseBody(request.body as Buffer | undefined));
          },
        }),
    // HEAD of a GET route comes by itself; where there is no GET, HEAD is a route of its own.
    exposeHeadRoute: method === 'GET',
    handler: async (request, reply) => requests.within(request, () => handle(request, reply)),
  });
}

const knownMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

function refuseOtherMethods(app: FastifyInstance, path: string, routes: readonly Route[]): void {
  const offered = new Set<string>(routes.filter((route) => route.path === path).map((route) => route.method));
  if (offered.has('GET')) offered.add('HEAD');
  const others = knownMethods.filter((method) => !offered.has(method));
  const refuse = async (request: FastifyRequest, reply: FastifyReply): Promise<never> => {
    reply.header('allow', [...offered].join(', '));
    throw new HearthError('method_not_allowed', `${path} does not take ${request.method}`);
  };
  app.route({ method: others, url: path, onRequest: refuse, handler: refuse, exposeHeadRoute: false });
}

function sendError(
  error: FastifyError | HearthError,
  request: FastifyRequest,
  reply: FastifyReply,
  logger: Logger,
): FastifyReply {
  const known = error instanceof HearthError ? error : fromFastify(error);
  const status = isOpenAiPath(request.url) ? openAiStatusOf(known.code) : statusOf[known.code];
  noteFailure(known.code);
  if (status >= 500) logger.error(known.message, { code: known.code, path: request.routeOptions.url ?? request.url });
  if (known.code === 'internal') logger.error(String(error.stack));
  // Errors that pass with time say when.
  if ('retryAfterSeconds' in known) void reply.header('retry-after', String(known.retryAfterSeconds));
  const body: ErrorResponse | OpenAiError = isOpenAiPath(request.url) ? toOpenAiError(known) : { error: known.message };
  return reply.code(status).send(body);
}

function fromFastify(error: FastifyError): HearthError {
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new HearthError('body_too_large', 'request body too large');
  const [problem] = error.validation ?? [];
  if (problem)
    return new HearthError('bad_request', `${fieldOf(problem.instancePath)} ${problem.message ?? 'is not valid'}`);
  if (error.statusCode !== undefined && error.statusCode < 500) return new HearthError('bad_request', error.message);
  return toHearthError(error);
}

// "/context/3" is what a validator calls context[3].
function fieldOf(instancePath: string): string {
  const [field = 'the request', ...rest] = instancePath.split('/').slice(1);
  return `${field}${rest.map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`)).join('')}`;
}
