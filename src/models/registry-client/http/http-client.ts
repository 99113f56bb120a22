// The HTTP client for registries and the storage hosts that they redirect to. It follows no redirects, decompresses
// nothing and retries nothing on its own, and aborts requests to a host that stalls.

import { type LookupAddress, type LookupAllOptions, lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { arch, platform } from 'node:process';
import { Readable } from 'node:stream';
import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { HearthError } from '../../../base/errors.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { createReceiveBuffers } from '../download/receive-buffers.ts';
import { createStallGuard, type StallGuard } from '../download/stall-guard.ts';
import { defaultStallTimeout } from '../limits.ts';
import { dispatchRequest, type RawResponse } from './dispatch-request.ts';
import { isPrivateAddress, isPrivateHost } from './private-address.ts';

export interface RegistryRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH';
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: AsyncIterable<Buffer> | Buffer;
  /** For hosts named by a registry: they must not be in a private network. */
  readonly publicOnly?: boolean;
  /** Milliseconds without any data. */
  readonly stallTimeout?: number;
  readonly signal: AbortSignal;
}

export interface RegistryResponse {
  readonly url: URL;
  readonly status: number;
  header(name: string): string | undefined;
  /** Must be read to its end or dropped. A premature end is an error. */
  readonly body: AsyncIterable<Buffer>;
  /** Discards the unread rest. */
  drop(): void;
}

export interface ProxySettings {
  /** Empty for no proxy. */
  readonly http: string;
  readonly https: string;
  /** Hosts to reach directly, in the format of `no_proxy`. */
  readonly except: string;
}

export interface HttpClient {
  send(request: RegistryRequest): Promise<RegistryResponse>;
  /** Returns the memory of a body chunk for reuse. Optional, and at most once per chunk. */
  recycle(chunk: Uint8Array): void;
  close(): Promise<void>;
}

export interface HttpClientOptions {
  readonly version: string;
  readonly clock: Clock;
  readonly proxy?: ProxySettings;
}

const connectTimeout = 30_000;
const uploadBuffer = 2 ** 20;
// Smaller than one read: chunks that queue up in a socket would be joined by copying.
const socketBuffer = 2 ** 14;
// The stall guard covers headers and bodies.
const agentOptions = { headersTimeout: 0, bodyTimeout: 0, pipelining: 1 } as const;

export function createHttpClient({ version, clock, proxy }: HttpClientOptions): HttpClient {
  const { onread, recycle } = createReceiveBuffers();
  const connect = { timeout: connectTimeout, highWaterMark: socketBuffer, onread };
  const plain = new Agent({ ...agentOptions, connect });
  const publicOnly = new Agent({ ...agentOptions, connect: { ...connect, lookup: createPublicLookup() } });
  const proxied =
    proxy && (proxy.http !== '' || proxy.https !== '')
      ? new EnvHttpProxyAgent({
          ...agentOptions,
          httpProxy: proxy.http,
          httpsProxy: proxy.https,
          noProxy: proxy.except,
        })
      : undefined;
  const userAgent = `hearth/${version} (${arch} ${platform})`;

  const dispatcherFor = (request: RegistryRequest): Dispatcher => {
    const { hostname } = request.url;
    if (request.publicOnly && isPrivateHost(hostname)) throw privateAddressError(hostname);
    if (proxied !== undefined && !isPrivateHost(hostname)) return proxied;
    return request.publicOnly ? publicOnly : plain;
  };

  return {
    async send(request) {
      const { url, method, body, headers = {}, stallTimeout = defaultStallTimeout, signal } = request;
      const guard = createStallGuard({ clock, origin: url.origin, timeout: stallTimeout, signal });
      try {
        const answer = await dispatchRequest(
          dispatcherFor(request),
          {
            origin: url.origin,
            path: `${url.pathname}${url.search}`,
            method,
            headers: { 'user-agent': userAgent, 'accept-encoding': 'identity', ...headers },
            body: toBody(body, guard),
          },
          { signal: guard.signal, onEnd: guard.end },
        );
        return toResponse(url, answer, guard);
      } catch (error) {
        guard.end();
        throw guard.explain(error);
      }
    },
    recycle,
    async close() {
      await Promise.all([plain, publicOnly, proxied].map((agent) => agent?.destroy()));
    },
  };
}

function toBody(body: RegistryRequest['body'], guard: StallGuard): Readable | Buffer | null {
  if (body === undefined || Buffer.isBuffer(body)) return body ?? null;
  return Readable.from(guard.watchRequestBody(body), { objectMode: false, highWaterMark: uploadBuffer });
}

function toResponse(url: URL, { status, headers, chunks, drop }: RawResponse, guard: StallGuard): RegistryResponse {
  const header = (name: string): string | undefined => {
    const value = headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  const encoding = header('content-encoding');
  if (encoding !== undefined && encoding !== 'identity' && encoding !== '') {
    drop();
    const message = `${url.host} sent the unrequested content encoding ${encoding}`;
    throw new HearthError('registry_invalid_response', message);
  }
  return { url, status, header, body: guard.watchResponseBody(chunks), drop };
}

type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Like the system's lookup, but fails for names that resolve to a private address. */
export function createPublicLookup(resolve: Resolve = systemLookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      if (addresses.some(({ address }) => isPrivateAddress(address)))
        return callback(privateAddressError(hostname), '', 0);
      if (options.all) return callback(null, addresses);
      const [first] = addresses;
      return callback(null, first?.address ?? '', first?.family ?? 4);
    });
  };
}

export function privateAddressError(hostname: string): HearthError {
  const message = `the registry redirects to ${hostname}, which is a private address: refused`;
  return new HearthError('registry_invalid_response', message);
}
