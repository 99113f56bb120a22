// The HTTP server: checks Host and Origin, finds the route, reads the body, and sends errors in the dialect of the route.

import { setImmediate } from 'node:timers/promises';
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { HearthError } from '../../base/errors.ts';
import type { RequestReport } from '../../base/request/request-report.ts';
import { runInRequest } from '../../base/request/request-scope.ts';
import type { Clock } from '../../base/time/clock.ts';
import { pause } from '../../base/time/pause.ts';
import { type TlsListener, withTls } from '../../base/tls/tls-listener.ts';
import type { AccessControl } from './access/access-control.ts';
import type { HostCheck } from './access/host-header.ts';
import { corsHeaders, isSameOrigin, type OriginCheck, preflightHeaders } from './access/origin.ts';
import { type CheckBody, createCheckBody, parseBody, pickFields, UnknownFields } from './body.ts';
import type { DialectTable } from './dialect.ts';
import { addLoadReport, type LoadFigures } from './load-report.ts';
import { missingServices } from './missing-services.ts';
import { type BodyShare, createBodyBudget, strangerShare } from './receiving/body-budget.ts';
import { acceptConnections, type ConnectionOptions, closeSlowConnections } from './receiving/connections.ts';
import { bodyLimitOf } from './receiving/field-bounds.ts';
import { receiveBody, receiveChunks } from './receiving/receive-body.ts';
import { type RequestTable, withCancelReason } from './requests.ts';
import type { Route } from './route.ts';
import { createErrorSender } from './send-error.ts';
import { addServerTiming } from './server-timing.ts';
import { acceptWebSockets } from './websocket/web-sockets.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Absent for paths that no route has. */
    readonly route?: Route;
  }
  interface FastifyRequest {
    /** The request's part of the budget for bodies. */
    bodyShare: BodyShare | undefined;
  }
}

interface HttpServerOptions extends ConnectionOptions {
  readonly routes: readonly Route[];
  /** For requests that match no route. */
  readonly dialects: DialectTable;
  readonly requests: RequestTable;
  readonly maxBodyBytes: number;
  /** For the bodies of all running requests together. */
  readonly maxBufferedBytes?: number;
  /** Resolves when requests can be carried out; absent: at once. */
  readonly whenReady?: () => Promise<void>;
  readonly isAllowedOrigin: OriginCheck;
  /** Absent: no response reports it. */
  readonly readLoad?: () => LoadFigures;
  /** Absent: any Host header is accepted. */
  readonly isAllowedHost?: HostCheck['isAllowed'];
  /** Absent: the server has no keys. */
  readonly access?: AccessControl;
  /** Absent: the server has no TLS. */
  readonly tls?: TlsListener;
}

// Clients that repeat a refused request at once would take the time of the server from others, and guess keys faster.
// Different delays, because they would otherwise all come back at the same moment.
const refusalDelayMs = { min: 100, max: 300 };

export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const { routes, dialects, requests, whenReady = async () => {}, logger } = options;
  const sendError = createErrorSender(dialects, logger);
  const context: RouteContext = {
    whenReady,
    checkBody: createCheckBody(),
    clock: options.clock,
    readLoad: options.readLoad,
  };
  const app = Fastify({
    ...withTls(options.tls),
    // Uploading a large file over a slow connection may take hours.
    requestTimeout: 0,
    http: headerTimeouts(options.receiveTimeout),
    forceCloseConnections: 'idle',
    // Clients append paths to a base address that may end with a slash.
    routerOptions: { ignoreDuplicateSlashes: true, ignoreTrailingSlash: true },
    // Errors before routing, such as a path with an invalid escape.
    frameworkErrors(error, request, reply) {
      logger.info(`${request.method} none`, { status: 400, path: request.url.slice(0, 300), reason: error.message });
      void sendError(error, request, reply);
    },
    // Bodies are checked by `checkBody`, and responses have no schema. Fastify would load its own compilers otherwise.
    schemaController: { compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema } },
  });

  const { tls } = options;
  if (tls !== undefined) app.addHook('preClose', async () => tls.close());
  acceptConnections(app, options);
  // Set by `admit`, before any other code sees the request.
  app.decorateRequest('scope', null as unknown as FastifyRequest['scope']);
  app.decorateRequest('report', null as unknown as RequestReport);
  app.addHook('onRequest', (request, reply, next) => {
    const admit = (): void => {
      requests.admit(request, reply);
      next();
    };
    const prepared = options.access?.prepare?.(request.headers);
    if (prepared === undefined) admit();
    // A client that has left needs no answer.
    else void prepared.then(() => request.raw.socket.destroyed || admit());
  });
  app.addHook('onRequest', (request, reply, next) => {
    checkAccess(request, options);
    const { origin, 'access-control-request-headers': requested } = request.headers;
    const isPreflight = request.method === 'OPTIONS';
    if (origin !== undefined) reply.headers(isPreflight ? preflightHeaders(origin, requested) : corsHeaders(origin));
    // A browser sends no key with a preflight request.
    if (isPreflight) {
      void reply.code(204).send();
      return;
    }
    const { route } = request.routeOptions.config ?? {};
    const authorized = options.access?.authorize(request.headers, request.scope.key, route);
    if (authorized === undefined) next();
    else authorized.then(() => next(), next);
  });
  closeSlowConnections(app, options);
  // Every body is read as JSON, whatever its content type: curl sends a form's by default.
  app.addHook('onRequest', ({ headers }, _reply, next) => {
    headers['content-type'] = 'application/json';
    next();
  });
  const receiving = { clock: options.clock, timeout: options.receiveTimeout ?? Number.POSITIVE_INFINITY };
  app.removeAllContentTypeParsers();
  const budget = createBodyBudget(options.maxBufferedBytes ?? Number.POSITIVE_INFINITY);
  const maxBytes = Math.min(options.maxBodyBytes, budget.maxBytesPerCaller);
  const strangers = createBodyBudget((options.maxBufferedBytes ?? Number.POSITIVE_INFINITY) * strangerShare);
  const isStranger = ({ scope }: FastifyRequest): boolean =>
    scope.key === undefined && options.access?.isRequired() === true;
  shareBudget(app, requests, (request) => (isStranger(request) ? strangers : budget).open(request.scope.client));
  app.addContentTypeParser('application/json', ({ raw, bodyShare, routeOptions }: FastifyRequest) => {
    const { route } = routeOptions.config;
    const limit = Math.min(maxBytes, bodyLimitOf(route));
    const share = bodyShare as BodyShare;
    return receiveBody(raw, { ...receiving, maxBytes: limit, maxValues: route?.maxBodyValues, share });
  });

  for (const route of routes.filter(({ readsBody }) => !readsBody)) addRoute(app, route, context);
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', ({ raw }, _payload, done) => done(null, receiveChunks(raw, receiving)));
    for (const route of routes.filter(({ readsBody }) => readsBody)) addRoute(scope, route, context);
  });
  for (const path of new Set(routes.map((route) => route.path))) refuseOtherMethods(app, path, routes);
  const { clock, receiveTimeout, stallTimeout } = options;
  acceptWebSockets(app, routes, { clock, budget, maxMessageBytes: maxBytes, receiveTimeout, stallTimeout });

  app.setNotFoundHandler((request) => {
    const [path = ''] = request.url.split('?', 1);
    throw new HearthError('path_not_found', missingServices.get(path) ?? `path ${path} not found`);
  });
  app.setErrorHandler(async (thrown: FastifyError | HearthError, request, reply) => {
    const error = withCancelReason(thrown, request.scope.signal);
    if (error.code === 'busy' || error.code === 'unauthorized') await refusalDelay(options.clock);
    return runInRequest(request.scope, () => sendError(error, request, reply));
  });
  return app;
}

function refuseSchema(): never {
  throw new Error('a route has a schema for Fastify');
}

function refusalDelay(clock: Clock): Promise<void> {
  const { min, max } = refusalDelayMs;
  return pause(clock, min + Math.random() * (max - min));
}

function headerTimeouts(timeout = 0): { headersTimeout: number; connectionsCheckingInterval: number } {
  // Node has no infinite timeout; 0 disables it.
  if (timeout === 0 || !Number.isFinite(timeout)) return { headersTimeout: 0, connectionsCheckingInterval: 30_000 };
  return { headersTimeout: timeout, connectionsCheckingInterval: Math.max(timeout / 4, 100) };
}

function checkAccess({ headers }: FastifyRequest, options: HttpServerOptions): void {
  const { isAllowedHost, isAllowedOrigin, access } = options;
  const { host, origin } = headers;
  // A page that lends its name to this address has neither a key nor the cookie of another name.
  const needsKey = access?.isRequired() ?? false;
  if (!needsKey && isAllowedHost && !isAllowedHost(host)) {
    const message = `the Host header "${host}" does not name this server; HEARTH_ALLOWED_HOSTS or keys can allow it`;
    throw new HearthError('forbidden', message);
  }
  if (origin === undefined || isAllowedOrigin(origin, host)) return;
  if (!needsKey || !isSameOrigin(origin, host)) {
    throw new HearthError('forbidden', `origin ${origin} is not allowed; HEARTH_ORIGINS can allow it`);
  }
}

/** A body stays in memory, in one form or another, until its request ends. */
function shareBudget(app: FastifyInstance, requests: RequestTable, open: (request: FastifyRequest) => BodyShare): void {
  app.decorateRequest('bodyShare', undefined);
  app.addHook('onRequest', (request, _reply, next) => {
    const share = open(request);
    request.bodyShare = share;
    requests.onceEnded(request, share.release);
    next();
  });
}

interface RouteContext
  extends Required<Pick<HttpServerOptions, 'whenReady' | 'clock'>>,
    Pick<HttpServerOptions, 'readLoad'> {
  readonly checkBody: CheckBody;
}

function addRoute(app: FastifyInstance, route: Route, { whenReady, checkBody, clock, readLoad }: RouteContext): void {
  const { method, path, body, exactBody, handle } = route;
  app.route({
    method,
    url: path,
    config: { route },
    ...(body === undefined
      ? {}
      : {
          preValidation: async (request: FastifyRequest) => {
            const bytes = request.body as Buffer | undefined;
            const isLarge = bytes !== undefined && bytes.byteLength > largeBodyBytes;
            const value = parseBody(bytes);
            if (isLarge) await letOthersRun();
            request.body = exactBody ? value : readFields(body, value, request.report);
            if (isLarge) await letOthersRun();
            await checkBody(body, request.body);
            if (isLarge) await letOthersRun();
          },
        }),
    ...(route.metered
      ? {
          onSend: async (request: FastifyRequest, reply: FastifyReply) => {
            addServerTiming(request, reply, clock.monotonic());
            if (route.reportsLoad && readLoad) addLoadReport(request.headers, reply, readLoad);
          },
        }
      : {}),
    // Fastify adds HEAD to GET routes; a path without GET has its own HEAD route.
    exposeHeadRoute: method === 'GET',
    handler: async (request, reply) => {
      if (!route.beforeReady) await whenReady();
      return runInRequest(request.scope, () => handle(request, reply));
    },
  });
}

/** The fields that the schema has. The others are reported. */
function readFields(
  schema: NonNullable<Route['body']>,
  value: Readonly<Record<string, unknown>>,
  report: RequestReport,
): Record<string, unknown> {
  const unknown = new UnknownFields();
  const picked = pickFields(schema, value, unknown);
  report.ignore(unknown.paths);
  return picked;
}

// Each step of reading a body with hundreds of thousands of values takes tens of milliseconds. Several bodies that
// arrive together take as long.
const largeBodyBytes = 32 * 1024;
const letOthersRun = (): Promise<void> => setImmediate();

const knownMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

function refuseOtherMethods(app: FastifyInstance, path: string, routes: readonly Route[]): void {
  const samePath = routes.filter((route) => route.path === path);
  const offered = new Set<string>(samePath.map((route) => route.method));
  if (offered.has('GET')) offered.add('HEAD');
  const isUpgraded = samePath.some(({ overWebSocket }) => overWebSocket);
  const others = knownMethods.filter((method) => !offered.has(method) && !(isUpgraded && method === 'GET'));
  const refuse = async (request: FastifyRequest, reply: FastifyReply): Promise<never> => {
    reply.header('allow', [...offered].join(', '));
    throw new HearthError('method_not_allowed', `method ${request.method} not allowed for ${path}`);
  };
  app.route({ method: others, url: path, onRequest: refuse, handler: refuse, exposeHeadRoute: false });
}
