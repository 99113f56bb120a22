// Asks an endpoint whether it is alive, and how much it has to do.

import type { RemoteKind } from '../endpoint.ts';
import { RemoteError } from '../http/remote-error.ts';
import type { NamedEndpoint, RemoteHttp } from '../http/remote-http.ts';
import type { Prober } from '../probe/prober.ts';
import type { CheckResult } from './endpoint-state.ts';
import { checkTimeout, maxMetricsBytes } from './limits.ts';
import { offersLoad, type ReportedLoad, readLoad } from './read-load.ts';

/** Paths that need no work. */
const healthPaths: Readonly<Record<RemoteKind, string>> = {
  vllm: '/health',
  sglang: '/health',
  'llama-server': '/health',
  ollama: '/api/version',
  openai: '/v1/models',
};

export async function checkHealth(
  { http, prober }: { readonly http: Pick<RemoteHttp, 'send'>; readonly prober: Pick<Prober, 'facts'> },
  endpoint: NamedEndpoint,
  signal: AbortSignal,
): Promise<CheckResult> {
  const kind = endpoint.kind === 'auto' ? (await prober.facts(endpoint, signal)).kind : endpoint.kind;
  const get = async (path: string): Promise<string> => {
    const { chunks } = await http.send(endpoint, { method: 'GET', path, timeout: checkTimeout, signal });
    return readStart(chunks);
  };
  const [isHealthy, load] = await Promise.all([askHealth(() => get(healthPaths[kind])), askLoad(kind, get)]);
  return { ...(isHealthy === undefined ? {} : { isHealthy }), ...(load === undefined ? {} : { load }) };
}

/** Undefined: the path is not there, or needs another key; the endpoint may be fine. */
async function askHealth(get: () => Promise<string>): Promise<boolean | undefined> {
  try {
    await get();
    return true;
  } catch (error) {
    const status = error instanceof RemoteError ? error.status : undefined;
    return status !== undefined && status < 500 ? undefined : false;
  }
}

/** Metrics are optional: they may be off, or need another key. */
async function askLoad(kind: RemoteKind, get: (path: string) => Promise<string>): Promise<ReportedLoad | undefined> {
  if (!offersLoad(kind)) return undefined;
  const text = await get('/metrics').catch(() => '');
  return readLoad(kind, text);
}

/** Metrics can be long; what is beyond the limit is not read. */
async function readStart(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    bytes += chunk.length;
    if (bytes >= maxMetricsBytes) break;
  }
  return Buffer.concat(parts).toString('utf8', 0, maxMetricsBytes);
}
