// Requests that the server sends to itself, such as the lines of a batch or the work of a tool. They pass the same checks
// and limits as those of a client.

import { IncomingMessage, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HearthError } from '../../base/errors.ts';
import type { CallerKey } from '../../base/request/caller-key.ts';
import type { AccessControl } from './access/access-control.ts';
import { CollectingStream, createDetachedResponse, MessageStream } from './websocket/detached-response.ts';

/** On whose behalf a request runs. */
export interface InternalSender {
  /** Absent: the server had no keys. */
  readonly keyId?: string;
  /** Slots and the queue are shared between clients. */
  readonly client: string;
  readonly partition?: string;
  /** The request gets what no other one needs. */
  readonly background?: true;
}

interface InternalInput {
  readonly path: string;
  /** JSON. Absent: the request is a GET. */
  readonly body?: Buffer;
  readonly sender: InternalSender;
  readonly signal: AbortSignal;
}

interface InternalResponse {
  readonly status: number;
  readonly requestId: string;
  /** Seconds after which to try again. Absent: the response does not say. */
  readonly retryAfter?: number;
  /** JSON. */
  readonly body: string;
}

class InternalRequest extends IncomingMessage {
  readonly sender: InternalSender;
  readonly key: CallerKey | undefined;

  constructor({ path, body, sender }: InternalInput, key: CallerKey | undefined) {
    super(new Socket());
    this.sender = sender;
    this.key = key;
    this.method = body === undefined ? 'GET' : 'POST';
    this.url = path;
    // A response to this version has neither chunks nor a connection to keep.
    Object.assign(this, { httpVersion: '1.0', httpVersionMajor: 1, httpVersionMinor: 0 });
    this.headers = { host: 'localhost' };
    if (body !== undefined) {
      this.headers['content-length'] = String(body.length);
      this.push(body);
    }
    this.push(null);
    this.complete = true;
  }
}

/** Undefined for a request of a client. */
export function internalRequestOf({ raw }: Pick<FastifyRequest, 'raw'>): InternalRequest | undefined {
  return raw instanceof InternalRequest ? raw : undefined;
}

const endOfHeaders = '\r\n\r\n';

export class InternalRequests {
  readonly #access: () => Pick<AccessControl, 'find'> | undefined;
  #app: FastifyInstance | undefined;

  /** Without `access` the server has no keys. */
  constructor(access: () => Pick<AccessControl, 'find'> | undefined) {
    this.#access = access;
  }

  /** Called when the server exists. */
  connect(app: FastifyInstance): void {
    this.#app = app;
  }

  /** Rejects with `unauthorized` if the key is not valid any more, and with `cancelled` if the signal aborts. */
  async send(input: InternalInput): Promise<InternalResponse> {
    const stream = new CollectingStream();
    const { statusCode: status } = await this.#route(input, stream);
    return { status, ...readResponse(Buffer.concat(stream.chunks).toString('utf8')) };
  }

  /** Calls `onLine` with each line of the body while it is written, and resolves with the status. Rejects like `send`. */
  async stream(input: InternalInput, onLine: (line: string) => void): Promise<number> {
    const send = (line: string, written?: () => void): void => {
      onLine(line);
      written?.();
    };
    return (await this.#route(input, new MessageStream({ send }))).statusCode;
  }

  async #route(input: InternalInput, stream: Writable): Promise<ServerResponse> {
    const { sender, signal } = input;
    const key = sender.keyId === undefined ? undefined : this.#access()?.find(sender.keyId);
    if (sender.keyId !== undefined && key === undefined)
      throw new HearthError('unauthorized', 'the key is not valid any more');
    const request = new InternalRequest(input, key);
    const response = createDetachedResponse(request, stream);
    const cancel = (): void => void request.socket.destroy();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      await new Promise<void>((resolve, reject) => {
        response.once('close', resolve);
        request.socket.once('close', () => reject(new HearthError('cancelled', 'request canceled')));
        if (signal.aborted) cancel();
        else this.#app?.routing(request, response);
      });
    } finally {
      signal.removeEventListener('abort', cancel);
      request.socket.destroy();
    }
    return response;
  }
}

/** The text of a response with its headers. */
function readResponse(text: string): Omit<InternalResponse, 'status'> {
  const end = text.indexOf(endOfHeaders);
  const headers = new Map(text.slice(0, end).split('\r\n').slice(1).map(toHeader));
  const retryAfter = headers.get('retry-after');
  return {
    requestId: headers.get('x-request-id') ?? '',
    retryAfter: retryAfter === undefined ? undefined : Number(retryAfter),
    body: text.slice(end + endOfHeaders.length),
  };
}

function toHeader(line: string): readonly [name: string, value: string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}
