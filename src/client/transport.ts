// Sends one HTTP request over a kept-alive connection. It uses node:http: that loads fast and does not decode bodies.

import type { Agent, ClientRequest, IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { SecureContext } from 'node:tls';
import { messageOf, systemCodeOf } from '../base/errors.ts';
import { socketPathOf } from '../base/net/socket-path.ts';
import { certificateProblems, withoutTlsCodes } from '../base/tls/server-problems.ts';
import { ClientError, foreignProgram } from './client-error.ts';

export interface UploadSource {
  readonly source: AsyncIterable<Uint8Array>;
  readonly bytes: number;
  readonly contentType?: string;
}

export interface TransportRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'DELETE';
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: object;
  /** Sent as it is, instead of `body`. */
  readonly upload?: UploadSource;
  readonly signal?: AbortSignal;
}

export interface TransportResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
}

// Only connecting has a limit: a response may take long, because models load slowly.
const defaultConnectTimeoutMs = 15_000;

export interface TransportOptions {
  /** Sent as Authorization: Bearer. */
  readonly key?: string | undefined;
  readonly connectTimeout?: number;
  /** Called for a server with TLS. Undefined: the defaults of Node apply. */
  readonly createTlsContext?: () => Promise<SecureContext | undefined>;
}

export function createTransport(url: string, options: TransportOptions = {}) {
  const { key, connectTimeout = defaultConnectTimeoutMs, createTlsContext = async () => undefined } = options;
  const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const isSecure = url.startsWith('https:');
  const socketPath = socketPathOf(url);
  const base = socketPath === undefined ? url : 'http://localhost';
  // node:https takes a while to load, and local servers do not need it.
  const httpModule = isSecure ? import('node:https') : import('node:http');
  const connected = isSecure ? 'secureConnect' : 'connect';
  let agent: Agent | undefined;
  let tlsContext: Promise<SecureContext | undefined> | undefined;
  const openAgent = async (): Promise<Agent> => {
    const { Agent } = await httpModule;
    tlsContext ??= isSecure ? createTlsContext() : Promise.resolve(undefined);
    const secureContext = await tlsContext;
    agent ??= new Agent({ keepAlive: true, ...(secureContext === undefined ? {} : { secureContext }) });
    return agent;
  };

  const open = async ({ method, path, body, upload, signal }: TransportRequest): Promise<ClientRequest> => {
    const { request } = await httpModule;
    const agent = await openAgent();
    const text = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const outgoing = request(`${base}${path}`, {
      method,
      agent,
      ...(socketPath === undefined ? {} : { socketPath }),
      headers: { accept: 'application/json', ...authorization, ...describeBody(text, upload) },
      timeout: connectTimeout,
      ...(signal === undefined ? {} : { signal }),
    });
    outgoing.once('timeout', () => outgoing.destroy(Object.assign(new Error('timed out'), { code: 'ETIMEDOUT' })));
    outgoing.once('socket', (socket) => {
      const clearConnectTimeout = (): void => void socket.setTimeout(0);
      // The handshake of TLS comes after the connection.
      const isConnecting = isSecure ? !outgoing.reusedSocket : socket.connecting;
      if (isConnecting) socket.once(connected, clearConnectTimeout);
      else clearConnectTimeout();
    });
    if (upload === undefined) outgoing.end(text);
    return outgoing;
  };

  const sendOnce = async (request: TransportRequest): Promise<TransportResponse | 'stale'> => {
    const { signal, upload } = request;
    const outgoing = await open(request);
    const response = new Promise<TransportResponse | 'stale'>((resolve, reject) => {
      outgoing.on('response', (incoming) =>
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: incoming }),
      );
      outgoing.on('error', (error) => {
        // The server closed the idle connection before it read the request.
        if (outgoing.reusedSocket && systemCodeOf(error) === 'ECONNRESET' && !upload) resolve('stale');
        else reject(toClientError(error, url, signal));
      });
    });
    if (upload === undefined) return response;
    const sent = pipeline(upload.source, outgoing);
    // A server may respond and close the connection before it has read the entire upload. Then its response counts, not
    // the broken pipe. If the source fails, there is no response.
    const uploaded = sent.then(
      () => response,
      (error: unknown) => {
        response.catch(() => {});
        if (brokenPipe.has(systemCodeOf(error) ?? '')) return response;
        throw toClientError(error, url, signal);
      },
    );
    const result = await Promise.race([response, uploaded]);
    if (result !== 'stale' && result.status < 400) await uploaded;
    return result;
  };

  return {
    /** The address of the server. */
    url,
    async send(request: TransportRequest): Promise<TransportResponse> {
      for (;;) {
        if (request.signal?.aborted) throw new ClientError('cancelled', 'cancelled');
        const response = await sendOnce(request);
        if (response !== 'stale') return response;
      }
    },
    close: (): void => agent?.destroy(),
  };
}

const brokenPipe: ReadonlySet<string> = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE']);

const unreachable: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'EADDRNOTAVAIL',
]);

/** Maps errors of sockets and streams. */
export function toClientError(thrown: unknown, url: string, signal?: AbortSignal): ClientError {
  if (thrown instanceof ClientError) return thrown;
  if (signal?.aborted) return new ClientError('cancelled', 'cancelled', { cause: thrown });
  const code = systemCodeOf(thrown) ?? '';
  // A file that is uploaded can be missing, too.
  const isOpening = socketPathOf(url) !== undefined && (thrown as { readonly syscall?: unknown }).syscall === 'connect';
  if (isOpening && (code === 'EACCES' || code === 'EPERM'))
    return new ClientError('broken', `no permission to open the socket ${url}`, { cause: thrown });
  if (unreachable.has(code) || (isOpening && ['ENOENT', 'ENOTDIR'].includes(code)))
    return new ClientError('unreachable', `no server at ${url}`, { cause: thrown });
  if (brokenPipe.has(code))
    return new ClientError('broken', `the server at ${url} closed the connection`, { cause: thrown });
  // Codes of Node's HTTP parser.
  if (code.startsWith('HPE_')) return foreignProgram(url, 'does not answer in HTTP');
  const problem = certificateProblems[code];
  if (problem !== undefined) return new ClientError('broken', `the server at ${url}: ${problem}`, { cause: thrown });
  if (withoutTlsCodes.includes(code))
    return new ClientError('broken', `the server at ${url} has no TLS: use http:// in its address`, { cause: thrown });
  return new ClientError('broken', `${url}: ${messageOf(thrown)}`, { cause: thrown });
}

function describeBody(text: Buffer | undefined, upload: UploadSource | undefined): OutgoingHttpHeaders {
  const length = upload?.bytes ?? text?.length;
  const type = text === undefined ? upload?.contentType : 'application/json';
  return {
    ...(type === undefined ? {} : { 'content-type': type }),
    ...(length === undefined ? {} : { 'content-length': length }),
  };
}
