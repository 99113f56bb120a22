// The HTTP client for registries and the storage hosts that they redirect to. It follows no redirects, decompresses
// nothing and retries nothing on its own, and aborts requests to a host that stalls.

import { arch, platform } from 'node:process';
import { Readable } from 'node:stream';
import { HearthError } from '../../../base/errors.ts';
import type { Clock } from '../../../base/time/clock.ts';
import type { ClientTls } from '../../../base/tls/client-context.ts';
import type { Destination, Dispatchers } from './choose-dispatcher.ts';
import { type DispatchedResponse, dispatchRequest } from './dispatch-request.ts';
import { defaultStallTimeout } from './limits.ts';
import { isProxied, type ProxySettings } from './proxy-settings.ts';
import { createReceiveBuffers } from './receive-buffers.ts';
import { createStallGuard, type StallGuard } from './stall-guard.ts';

export interface RegistryRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH';
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: AsyncIterable<Buffer> | Buffer;
  readonly destination: Destination;
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

interface HttpClientOptions {
  readonly version: string;
  /** The version of Ollama to present to registries, which refuse old clients with status 412. Absent: none. */
  readonly ollamaVersion?: string;
  readonly clock: Clock;
  readonly proxy?: ProxySettings;
  /** Absent: the defaults of Node apply. */
  readonly tls?: ClientTls;
}

const connectTimeout = 30_000;
const uploadBuffer = 2 ** 20;
// Smaller than one read: chunks that queue up in a socket would be joined by copying.
const socketBuffer = 2 ** 14;
// The stall guard covers headers and bodies.
const agentOptions = { headersTimeout: 0, bodyTimeout: 0, pipelining: 1 } as const;

export function createHttpClient({ version, ollamaVersion, clock, proxy, tls }: HttpClientOptions) {
  const { onread, recycle } = createReceiveBuffers();
  const connect = { timeout: connectTimeout, highWaterMark: socketBuffer, onread };
  let dispatchers: Promise<Dispatchers> | undefined;
  const openDispatchers = async (): Promise<Dispatchers> => {
    const { createDispatchers, createTlsContexts } = await import('./choose-dispatcher.ts');
    return createDispatchers({ ...agentOptions, connect }, { proxy, tls: await createTlsContexts(tls) });
  };
  const userAgent = userAgentOf(version, ollamaVersion);

  return {
    async send(request: RegistryRequest): Promise<RegistryResponse> {
      const { url, destination, method, body, headers = {}, stallTimeout = defaultStallTimeout, signal } = request;
      const guard = createStallGuard({ clock, origin: url.origin, timeoutMs: stallTimeout, signal });
      try {
        dispatchers ??= openDispatchers();
        const answer = await dispatchRequest(
          await (await dispatchers).choose(url, destination),
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
    /** Whether a proxy resolves the host's name. */
    isProxied: (url: URL): boolean => isProxied(proxy, url),
    /** Returns the memory of a body chunk for reuse. Optional, and at most once per chunk. */
    recycle,
    close: async (): Promise<void> => (await dispatchers)?.close(),
  };
}

/** Registries look for Ollama's version at the beginning, with the platform as Go names it. */
function userAgentOf(version: string, ollamaVersion: string | undefined): string {
  const own = `hearth/${version} (${arch} ${platform})`;
  if (ollamaVersion === undefined) return own;
  const goArch = arch === 'x64' ? 'amd64' : arch;
  const goPlatform = platform === 'win32' ? 'windows' : platform;
  return `ollama/${ollamaVersion} (${goArch} ${goPlatform}) ${own}`;
}

export type HttpClient = ReturnType<typeof createHttpClient>;

function toBody(body: RegistryRequest['body'], guard: StallGuard): Readable | Buffer | null {
  if (body === undefined || Buffer.isBuffer(body)) return body ?? null;
  return Readable.from(guard.watchRequestBody(body), { objectMode: false, highWaterMark: uploadBuffer });
}

function toResponse(
  url: URL,
  { status, headers, chunks, drop }: DispatchedResponse,
  guard: StallGuard,
): RegistryResponse {
  const header = (name: string): string | undefined => {
    const value = headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  const encoding = header('content-encoding');
  if (encoding !== undefined && encoding !== 'identity' && encoding !== '') {
    drop();
    const message = `${url.host} sent an unrequested content encoding`;
    throw new HearthError('registry_invalid_response', message);
  }
  return { url, status, header, body: guard.watchResponseBody(chunks), drop };
}
