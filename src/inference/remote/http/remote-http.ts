// Sends requests to endpoints: with their key, their authorities, and limits of time and size. Redirects are not followed,
// so that a key is only ever sent to its own host.

import type { Agent } from 'undici';
import { HearthError } from '../../../base/errors.ts';
import { parseJson } from '../../../base/json-values.ts';
import { createLruCache } from '../../../base/lru-cache.ts';
import { currentRequest } from '../../../base/request/request-scope.ts';
import { type TraceContext, toTraceHeaders } from '../../../base/request/trace-context.ts';
import { JsonScanner } from '../../../base/text/json-scanner.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { type ClientTls, createClientContext } from '../../../base/tls/client-context.ts';
import type { Endpoint } from '../endpoint.ts';
import type { LoopGuard } from '../loop-guard.ts';
import { checkReachable, remoteLookup } from './check-reachable.ts';
import { exchange } from './exchange.ts';
import { readRemoteKey, type Variables } from './read-key.ts';
import { brokenAnswer, fromStatus, unreadable } from './remote-error.ts';
import type { RemoteResponseBody } from './response-body.ts';

export interface RemoteRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
  /** Milliseconds without any data, before the response and during it. */
  readonly timeout: number;
  readonly signal: AbortSignal;
  /** For an answer that `call` reads. Absent: those of small answers. */
  readonly answerLimits?: AnswerLimits;
  /** Absent: that of the current request. */
  readonly trace?: TraceContext | undefined;
}

interface AnswerLimits {
  readonly maxBytes: number;
  /** Names and values. */
  readonly maxValues: number;
}

/** Closing the connection tells the remote to stop. */
export interface RemoteResponse extends RemoteResponseBody {
  /** Bytes of the request's body. */
  readonly sentBytes: number;
  readonly contentType: string;
}

export interface NamedEndpoint extends Endpoint {
  /** The name of its remote, for messages. */
  readonly remote: string;
}

interface RemoteHttpOptions {
  readonly version: string;
  readonly clock: Clock;
  readonly environment: Variables;
  /** Authorities that are trusted for all remotes. */
  readonly tls: ClientTls;
  readonly loopGuard: Pick<LoopGuard, 'headers'>;
}

/** The address of an endpoint in the parts that a request needs. */
interface Address {
  readonly origin: string;
  readonly hostname: string;
  /** Without a slash at its end. */
  readonly basePath: string;
}

// A request takes less time to look one up than to parse it.
const maxAddresses = 1000;
const connectTimeout = 5000;
const maxErrorBytes = 64 * 1024;
// Descriptions of models and paths.
const smallAnswer: AnswerLimits = { maxBytes: 4 * 2 ** 20, maxValues: 200_000 };

export function createRemoteHttp(options: RemoteHttpOptions) {
  const { version, clock, environment, tls, loopGuard } = options;
  const addresses = createLruCache<Address>(maxAddresses);
  const addressOf = (url: string): Address => addresses.getOrCreate(url, () => parseAddress(url));
  /** By the file of authorities. */
  const agents = new Map<string, Promise<Agent>>();
  const agentFor = (caFile: string): Promise<Agent> => {
    const known = agents.get(caFile);
    if (known !== undefined) return known;
    const created = createAgent(caFile === '' ? tls : { ...tls, ca: caFile });
    agents.set(caFile, created);
    // A file that is corrected later is read again.
    created.catch(() => agents.delete(caFile));
    return created;
  };

  let isClosed = false;
  const isClosing = (): boolean => isClosed;

  async function send(endpoint: NamedEndpoint, request: RemoteRequest): Promise<RemoteResponse> {
    const { remote, url, caFile, keyRef } = endpoint;
    const { method, path, body, timeout, signal } = request;
    const { origin, hostname, basePath } = addressOf(url);
    checkReachable(hostname, remote, 'remote_failed');
    const [key, dispatcher] = await Promise.all([readRemoteKey(keyRef, environment), agentFor(caFile)]).catch(
      (error) => {
        throw unreadable(remote, error);
      },
    );
    const trace = request.trace ?? currentRequest()?.trace;
    const text = body === undefined ? undefined : JSON.stringify(body);
    const sent = {
      origin,
      path: `${basePath}${path}`,
      method,
      headers: {
        'user-agent': `hearth/${version}`,
        ...loopGuard.headers(),
        ...(trace === undefined ? {} : toTraceHeaders(trace)),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      ...(text === undefined ? {} : { body: text }),
    };
    const response = await exchange(dispatcher, { request: sent, clock, timeout, signal, isClosing, remote });
    const { status, headers } = response;
    if (status >= 300) throw fromStatus(remote, status, await readStart(response.body.chunks));
    const sentBytes = Buffer.byteLength(text ?? '');
    return { contentType: String(headers['content-type'] ?? ''), sentBytes, ...response.body };
  }

  return {
    /** Throws a RemoteError for a status other than 2xx. */
    send,
    /** Reads a JSON answer of a bounded size. */
    async call(endpoint: NamedEndpoint, request: RemoteRequest): Promise<unknown> {
      const { chunks } = await send(endpoint, request);
      const text = await readText(chunks, endpoint.remote, request.answerLimits ?? smallAnswer);
      const value = parseJson(text);
      if (value !== undefined) return value;
      throw new HearthError('remote_failed', `the remote "${endpoint.remote}" sent something that is not JSON`);
    },
    async close(): Promise<void> {
      isClosed = true;
      const all = await Promise.allSettled(agents.values());
      await Promise.all(all.map((agent) => (agent.status === 'fulfilled' ? agent.value.destroy() : undefined)));
    },
  };
}

export type RemoteHttp = ReturnType<typeof createRemoteHttp>;

/** undici is large, and many servers have no remotes. */
async function createAgent(tls: ClientTls): Promise<Agent> {
  const { Agent: UndiciAgent } = await import('undici');
  // The certificate of this server is for its own clients and registries.
  const secureContext = await createClientContext({ ...tls, cert: '', key: '' }, { showsCertificate: false });
  const connect = {
    timeout: connectTimeout,
    lookup: remoteLookup,
    ...(secureContext === undefined ? {} : { secureContext }),
  };
  // The guard covers headers and bodies.
  return new UndiciAgent({ headersTimeout: 0, bodyTimeout: 0, pipelining: 1, connect });
}

/** The start of an error message; the rest is left out. */
async function readStart(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      parts.push(chunk);
      bytes += chunk.length;
      if (bytes >= maxErrorBytes) break;
    }
  } catch {
    // The status says enough.
  }
  return Buffer.concat(parts).toString('utf8', 0, maxErrorBytes);
}

async function readText(
  chunks: AsyncIterable<Uint8Array>,
  remote: string,
  { maxBytes, maxValues }: AnswerLimits,
): Promise<string> {
  const parts: Uint8Array[] = [];
  const scanner = new JsonScanner({ maxValues });
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw brokenAnswer(remote, `sent more than ${maxBytes} bytes`);
    try {
      scanner.addBytes(chunk);
    } catch {
      throw brokenAnswer(remote, 'sent an answer with too many values or levels');
    }
    parts.push(chunk);
  }
  return Buffer.concat(parts).toString('utf8');
}

function parseAddress(url: string): Address {
  const { origin, hostname, pathname } = new URL(url);
  return { origin, hostname, basePath: withoutSlash(pathname) };
}

function withoutSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path;
}
