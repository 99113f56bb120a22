// Requests to libraries and to where they send us: one request, one answer. Nothing is followed, unpacked or retried
// behind our back, and a host that falls silent is given up.

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
  /** A host that somebody else has named: it must not be one of this network. */
  readonly publicOnly?: boolean;
  /** How long it may be silent, in milliseconds. */
  readonly stallTimeout?: number;
  readonly signal: AbortSignal;
}

export interface RegistryResponse {
  readonly url: URL;
  readonly status: number;
  header(name: string): string | undefined;
  /** Chunks as they come; an end that comes too soon is an error. Must be read to its end or dropped. */
  readonly body: AsyncIterable<Buffer>;
  /** Gives up what has not been read. */
  drop(): void;
}

export interface ProxySettings {
  /** Empty: none. */
  readonly http: string;
  readonly https: string;
  /** Hosts to reach without one, as `no_proxy` has them. */
  readonly except: string;
}

export interface HttpClient {
  send(request: RegistryRequest): Promise<RegistryResponse>;
  /** The bytes of a body are not needed any more: their memory can be used again. Optional, and once at most. */
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
// Less than a read brings: what piles up in a socket is joined by copying.
const socketBuffer = 2 ** 14;
// Silence is measured by our own clock, for headers and bodies alike.
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
      const guard = createStallGuard({ clock, origin: url.origin, limit: stallTimeout, signal });
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
  return Readable.from(guard.watch(body), { objectMode: false, highWaterMark: uploadBuffer });
}

function toResponse(url: URL, { status, headers, chunks, drop }: RawResponse, guard: StallGuard): RegistryResponse {
  const header = (name: string): string | undefined => {
    const value = headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  const encoding = header('content-encoding');
  if (encoding !== undefined && encoding !== 'identity' && encoding !== '') {
    drop();
    const message = `${url.host} answers in ${encoding}, which was not asked for`;
    throw new HearthError('registry_invalid_response', message);
  }
  return { url, status, header, body: guard.chunksOf(chunks), drop };
}

type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** As the system's, but names that lead into this network lead nowhere. */
export function createPublicLookup(resolve: Resolve = systemLookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      if (addresses.some(({ address }) => isPrivateAddress(address))) return callback(privateAddressError(hostname), '', 0);
      if (options.all) return callback(null, addresses);
      const [first] = addresses;
      return callback(null, first?.address ?? '', first?.family ?? 4);
    });
  };
}

export function privateAddressError(hostname: string): HearthError {
  const message = `the library sends us to ${hostname}, which is an address of this network: refused`;
  return new HearthError('registry_invalid_response', message);
}
