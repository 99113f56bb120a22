// One HTTP exchange with the server, over connections that are kept for the next one. Node's own http: it is there at
// once, and it sends and reads bytes as they are.

import type { Agent, ClientRequest, IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { messageOf, systemCodeOf } from '../base/errors.ts';
import { ClientError } from './client-error.ts';

export interface Exchange {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'DELETE';
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: object;
  /** Sent as it is, in chunks, instead. */
  readonly upload?: { readonly source: AsyncIterable<Uint8Array>; readonly bytes: number };
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
}

export interface Transport {
  /** Where the server is said to be. */
  readonly url: string;
  send(exchange: Exchange): Promise<Answer>;
  close(): void;
}

// Milliseconds in which a connection must stand. What comes over it may take as long as it takes: models load slowly.
const connectPatience = 15_000;

export function createTransport(url: string, { patience = connectPatience } = {}): Transport {
  // TLS takes a while to load, and hardly anybody needs it for a server of their own.
  const wire = url.startsWith('https:') ? import('node:https') : import('node:http');
  let agent: Agent | undefined;

  const open = async ({ method, path, body, upload, signal }: Exchange): Promise<ClientRequest> => {
    const { request, Agent } = await wire;
    agent ??= new Agent({ keepAlive: true });
    const text = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const length = upload?.bytes ?? text?.length;
    const outgoing = request(`${url}${path}`, {
      method,
      agent,
      headers: {
        accept: 'application/json',
        ...(text === undefined ? {} : { 'content-type': 'application/json' }),
        ...(length === undefined ? {} : { 'content-length': length }),
      },
      timeout: patience,
      ...(signal === undefined ? {} : { signal }),
    });
    outgoing.once('timeout', () => outgoing.destroy(Object.assign(new Error('timed out'), { code: 'ETIMEDOUT' })));
    outgoing.once('socket', (socket) => {
      const forget = (): void => void socket.setTimeout(0);
      if (socket.connecting) socket.once('connect', forget);
      else forget();
    });
    if (upload === undefined) outgoing.end(text);
    return outgoing;
  };

  const exchangeOnce = async (exchange: Exchange): Promise<Answer | 'stale'> => {
    const { signal, upload } = exchange;
    const outgoing = await open(exchange);
    const answer = new Promise<Answer | 'stale'>((resolve, reject) => {
      outgoing.on('response', (incoming) =>
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: incoming }),
      );
      outgoing.on('error', (error) => {
        // The server had closed a connection that was kept; nothing was begun on it.
        if (outgoing.reusedSocket && systemCodeOf(error) === 'ECONNRESET' && !upload) resolve('stale');
        else reject(toClientError(error, url, signal));
      });
    });
    if (upload === undefined) return answer;
    const sent = pipeline(upload.source, outgoing);
    // A server may have heard enough before the end: then its answer counts, not the broken pipe. Where it is the source
    // that fails, there will be no answer.
    const failed = sent.then(
      () => answer,
      (error: unknown) => {
        answer.catch(() => {});
        if (brokenPipe.has(systemCodeOf(error) ?? '')) return answer;
        throw toClientError(error, url, signal);
      },
    );
    const result = await Promise.race([answer, failed]);
    if (result !== 'stale' && result.status < 400) await failed;
    return result;
  };

  return {
    url,
    async send(exchange) {
      for (;;) {
        if (exchange.signal?.aborted) throw new ClientError('cancelled', 'cancelled');
        const answer = await exchangeOnce(exchange);
        if (answer !== 'stale') return answer;
      }
    },
    close: () => agent?.destroy(),
  };
}

const brokenPipe: ReadonlySet<string> = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE']);

const nobodyThere: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'EADDRNOTAVAIL',
]);

/** Whatever broke off underneath, as something that can be told. */
export function toClientError(thrown: unknown, url: string, signal?: AbortSignal): ClientError {
  if (thrown instanceof ClientError) return thrown;
  if (signal?.aborted) return new ClientError('cancelled', 'cancelled', { cause: thrown });
  const code = systemCodeOf(thrown) ?? '';
  if (nobodyThere.has(code)) return new ClientError('unreachable', `no server at ${url}`, { cause: thrown });
  if (brokenPipe.has(code)) return new ClientError('broken', `the server at ${url} went away`, { cause: thrown });
  return new ClientError('broken', `${url}: ${messageOf(thrown)}`, { cause: thrown });
}
