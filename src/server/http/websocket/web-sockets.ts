// Upgrades of connections to WebSockets. The handshake is a request of its own: it passes the checks of Host, Origin and
// key, and an error has a status.

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { WebSocket, WebSocketServer } from 'ws';
import { HearthError } from '../../../base/errors.ts';
import type { BodyBudget } from '../receiving/body-budget.ts';
import type { Route } from '../route.ts';
import { CollectingStream, createDetachedResponse } from './detached-response.ts';
import { type ChannelLimits, WebSocketChannel } from './web-socket-channel.ts';

interface WebSocketsOptions extends ChannelLimits {
  readonly dispatch: (request: IncomingMessage, response: ServerResponse) => void;
  readonly budget: BodyBudget;
  readonly maxMessageBytes: number;
}

interface Accepted {
  readonly client: string;
  readonly route: Route;
}

const maxChannels = 1024;
const maxChannelsPerClient = 64;

type Limits = Pick<WebSocketsOptions, 'clock' | 'budget' | 'maxMessageBytes'> & {
  readonly receiveTimeout: number | undefined;
  readonly stallTimeout: number | undefined;
};

/** Opens WebSockets on the paths of routes that have them. The key must allow the route that messages go to. */
export function acceptWebSockets(
  app: FastifyInstance,
  routes: readonly Route[],
  { receiveTimeout, stallTimeout, ...limits }: Limits,
): void {
  const upgraded = routes.filter(({ overWebSocket }) => overWebSocket);
  if (upgraded.length === 0) return;
  const webSockets = new WebSockets({
    ...limits,
    receiveTimeoutMs: receiveTimeout ?? Number.POSITIVE_INFINITY,
    stallTimeoutMs: stallTimeout ?? Number.POSITIVE_INFINITY,
    dispatch: (request, response) => app.routing(request, response),
  });
  // Messages count in quotas, the handshake does not.
  for (const { metered: _, ...route } of upgraded)
    app.route({
      method: 'GET',
      url: route.path,
      config: { route },
      exposeHeadRoute: false,
      handler: async (request, reply) => {
        reply.header('allow', route.method);
        webSockets.accept(request, route);
        return reply.code(101).send();
      },
    });
  webSockets.listenTo(app.server);
  app.addHook('preClose', async () => webSockets.close());
}

class WebSockets {
  readonly #options: WebSocketsOptions;
  readonly #handshakes = new WeakSet<IncomingMessage>();
  /** Handshakes that have passed all checks. */
  readonly #accepted = new WeakMap<IncomingMessage, Accepted>();
  readonly #channels = new Map<WebSocketChannel, string>();
  #server: WebSocketServer | undefined;
  #isClosed = false;

  constructor(options: WebSocketsOptions) {
    this.#options = options;
  }

  listenTo(server: Server): void {
    server.on('upgrade', (message: IncomingMessage, socket: Socket, head: Buffer) => {
      socket.on('error', () => {});
      if (message.headers.upgrade?.toLowerCase() === 'websocket') void this.#upgrade(message, socket, head);
      else serveWithoutUpgrade(server, message, socket, head);
    });
  }

  /** Called by the route of the path. Throws if the request is no handshake, or if there are too many connections. */
  accept({ raw, scope: { client } }: FastifyRequest, route: Route): void {
    if (!this.#handshakes.has(raw))
      throw new HearthError('method_not_allowed', `GET ${route.path} needs the header Upgrade: websocket`);
    const ofClient = [...this.#channels.values()].filter((other) => other === client).length;
    if (this.#channels.size >= maxChannels || ofClient >= maxChannelsPerClient)
      throw new HearthError('busy', 'server busy: there are too many WebSocket connections');
    this.#accepted.set(raw, { client, route });
  }

  /** Connections end after the requests that run on them. */
  close(): void {
    this.#isClosed = true;
    for (const channel of this.#channels.keys()) channel.close();
  }

  async #upgrade(handshake: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    this.#server ??= await createWebSocketServer(this.#options.maxMessageBytes);
    const server = this.#server;
    this.#handshakes.add(handshake);
    // Bytes that follow are messages.
    handshake.complete = true;
    const stream = new CollectingStream();
    const response = createDetachedResponse(handshake, stream);
    response.once('close', () => {
      const accepted = this.#accepted.get(handshake);
      if (accepted === undefined || this.#isClosed) socket.end(Buffer.concat(stream.chunks));
      else server.handleUpgrade(handshake, socket, head, (webSocket) => this.#open(webSocket, handshake, accepted));
    });
    this.#options.dispatch(handshake, response);
  }

  #open(socket: WebSocket, handshake: IncomingMessage, { client, route }: Accepted): void {
    const { budget, clock, receiveTimeoutMs, stallTimeoutMs, dispatch } = this.#options;
    const channel = new WebSocketChannel({
      ...{ handshake, socket, clock, receiveTimeoutMs, stallTimeoutMs, dispatch },
      dialect: route.dialect,
      openShare: () => budget.open(client),
    });
    this.#channels.set(channel, client);
    channel.onceClosed(() => this.#channels.delete(channel));
  }
}

/** Loaded with the first connection: most servers have none. */
async function createWebSocketServer(maxPayload: number): Promise<WebSocketServer> {
  const { WebSocketServer } = await import('ws');
  // Without compression: a small message could become a large one.
  return new WebSocketServer({ noServer: true, clientTracking: false, perMessageDeflate: false, maxPayload });
}

const upgradeHeader = /^(?:connection|upgrade|http2-settings)$/i;

/**
 * A server with a listener for upgrades gets all of them from Node, also those to HTTP/2 that Java's client asks for by
 * default. They are read again as ordinary requests.
 */
function serveWithoutUpgrade(server: Server, message: IncomingMessage, socket: Socket, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = message;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    if (!upgradeHeader.test(name)) lines.push(`${name}: ${value}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit(socket instanceof TLSSocket ? 'secureConnection' : 'connection', socket);
}
