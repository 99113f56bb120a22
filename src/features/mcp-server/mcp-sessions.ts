// The sessions of MCP clients over streamable HTTP. The SDK speaks the protocol; this file says whose session it is, how
// many there are, and when a request ends. A session is needed to cancel: a notification names the id of a request, which
// is unique only within its session.

import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { type RequestId, type Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { badRequest, HearthError, messageOf, requestCanceled } from '../../base/errors.ts';
import type { RequestScope } from '../../base/request/request-scope.ts';
import type { McpMessageBody } from './mcp-schema.ts';

interface SessionLimits {
  /** Sessions of one client, and of all clients. */
  readonly perClient: number;
  readonly total: number;
}

// A session takes about 6 kilobytes. A program has one for each of its windows.
const defaultLimits: SessionLimits = { perClient: 64, total: 1024 };

const sessionHeader = 'mcp-session-id';

export class McpSessions {
  readonly #createServer: () => Server;
  readonly #limits: SessionLimits;
  /** By id; the one that was used last is the last. */
  readonly #sessions = new Map<string, Session>();

  /** `createServer` is called for each session. */
  constructor(createServer: () => Server, limits = defaultLimits) {
    this.#createServer = createServer;
    this.#limits = limits;
  }

  get count(): number {
    return this.#sessions.size;
  }

  async handle(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const session = await this.#sessionFor(request);
    return session.handle(request, reply);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((session) => session.close()));
  }

  async #sessionFor({ headers, method, body, scope }: FastifyRequest): Promise<Session> {
    const id = headers[sessionHeader];
    if (id !== undefined) return this.#find(String(id), scope);
    if (method === 'POST' && (body as McpMessageBody).method === 'initialize') return this.#create(scope);
    throw badRequest(`the header ${sessionHeader} is missing; initialize a session first`);
  }

  #find(id: string, { key }: RequestScope): Session {
    const session = this.#sessions.get(id);
    // The same error whether or not the session of another key exists.
    if (session === undefined || session.keyId !== key?.id)
      throw new HearthError('session_not_found', 'the session does not exist, or not any more; initialize a new one');
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    return session;
  }

  async #create(scope: RequestScope): Promise<Session> {
    this.#makeRoom(scope.client);
    const server = this.#createServer();
    const session = new Session(scope, {
      onOpen: (id) => void this.#sessions.set(id, session),
      onClose: (id) => void this.#sessions.delete(id),
    });
    await session.connect(server);
    return session;
  }

  /** Closes the sessions that were not used for the longest time. */
  #makeRoom(client: string): void {
    const { perClient, total } = this.#limits;
    const all = [...this.#sessions.values()];
    const own = all.filter((session) => session.client === client);
    const crowded = own.length >= perClient ? own : all.length >= total ? all : [];
    if (crowded.length === 0) return;
    const idle = crowded.find((session) => !session.isRunning);
    if (idle === undefined) throw new HearthError('busy', 'too many MCP sessions have running requests');
    void idle.close();
  }
}

interface SessionEvents {
  onOpen(id: string): void;
  onClose(id: string): void;
}

class Session {
  readonly client: string;
  readonly keyId: string | undefined;
  readonly #transport: WebStandardStreamableHTTPServerTransport;
  readonly #onClose: (id: string) => void;
  #running = 0;

  constructor({ client, key }: RequestScope, { onOpen, onClose }: SessionEvents) {
    this.client = client;
    this.keyId = key?.id;
    this.#onClose = onClose;
    this.#transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: onOpen,
    });
  }

  get isRunning(): boolean {
    return this.#running > 0;
  }

  async connect(server: Server): Promise<void> {
    const transport = this.#transport;
    await server.connect(transport);
    const { onmessage, onclose } = transport;
    transport.onclose = () => {
      if (transport.sessionId !== undefined) this.#onClose(transport.sessionId);
      onclose?.();
    };
    // A canceled request gets no response, and the SDK would keep its stream.
    transport.onmessage = (message, extra) => {
      onmessage?.(message, extra);
      const canceled = requestIdOf(message, 'notifications/cancelled');
      if (canceled !== undefined) this.#release(canceled);
    };
  }

  async handle(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const { method, body, scope } = request;
    const message = method === 'POST' ? (body as McpMessageBody) : undefined;
    const id = message?.method === undefined ? undefined : (message.id as RequestId | undefined);
    if (id !== undefined) this.#follow(id, scope, reply);
    const web = new Request('http://localhost/mcp', { method, headers: headersOf(request) });
    const response = await this.#transport.handleRequest(web, { parsedBody: message });
    return sendResponse(reply, response);
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  /** Cancels the work of a request when its client disconnects, or when the request is canceled by its id. */
  #follow(id: RequestId, { signal }: RequestScope, reply: FastifyReply): void {
    if (signal.aborted) throw requestCanceled();
    this.#running += 1;
    const cancel = (): void => {
      const reason = signal.reason instanceof HearthError ? messageOf(signal.reason) : 'the request was canceled';
      void this.#answer(id, reason);
      this.#transport.onmessage?.({
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: id, reason },
      });
    };
    signal.addEventListener('abort', cancel, { once: true });
    reply.raw.once('close', () => {
      this.#running -= 1;
    });
  }

  /** Ends the stream of a request without a response. */
  #release(id: RequestId): void {
    this.#transport.closeSSEStream(id);
    void this.#answer(id, 'canceled');
  }

  /** The SDK forgets a request when it is answered, also if nobody gets the answer. */
  async #answer(id: RequestId, message: string): Promise<void> {
    const error = { code: -32_000, message };
    await this.#transport.send({ jsonrpc: '2.0', id, error }).catch(() => {});
  }
}

/** The headers do not wait for the first message of a stream. */
async function sendResponse(reply: FastifyReply, { status, headers, body }: Response): Promise<unknown> {
  void reply.code(status).headers(Object.fromEntries(headers));
  if (body === null) return reply.send();
  reply.hijack();
  const raw = reply.raw.writeHead(status, reply.getHeaders() as Record<string, string>);
  raw.flushHeaders();
  // Both types are the same at run time. A client that disconnects is no error.
  return pipeline(Readable.fromWeb(body as ReadableStream), raw).catch(() => {});
}

/** What the transport reads. Others, such as a key, do not reach the handlers. */
function headersOf({ headers }: FastifyRequest): Record<string, string> {
  const { accept = '*/*', ...others } = headers;
  const names = [sessionHeader, 'mcp-protocol-version', 'last-event-id'];
  const given = names.flatMap((name) => (others[name] === undefined ? [] : [[name, String(others[name])]]));
  return {
    ...Object.fromEntries(given),
    accept: accept.includes('*/*') ? 'application/json, text/event-stream' : accept,
    'content-type': 'application/json',
  };
}

function requestIdOf(message: object, method: string): RequestId | undefined {
  const { method: given, params } = message as { method?: string; params?: { requestId?: RequestId } };
  return given === method ? params?.requestId : undefined;
}
