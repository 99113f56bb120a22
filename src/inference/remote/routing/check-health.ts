// Asks an endpoint whether it is alive, and how much it has to do.

import type { RemoteKind } from '../endpoint.ts';
import { RemoteError } from '../http/remote-error.ts';
import type { NamedEndpoint, RemoteHttp } from '../http/remote-http.ts';
import type { Prober } from '../probe/prober.ts';
import type { CheckEndpoint } from './health-checks.ts';
import { checkTimeout, maxMetricsBytes, metricsPause } from './limits.ts';
import { offersLoad, type ReportedLoad, readLoad } from './read-load.ts';

type Get = (path: string) => Promise<string>;

/** Paths that need no work. */
const healthPaths: Readonly<Record<RemoteKind, string>> = {
  vllm: '/health',
  sglang: '/health',
  'llama-server': '/health',
  ollama: '/api/version',
  openai: '/v1/models',
};

interface HealthCheckOptions {
  /** The remote's name. */
  readonly remote: string;
  readonly http: Pick<RemoteHttp, 'send'>;
  readonly prober: Pick<Prober, 'facts'>;
}

export function createHealthCheck({ remote, http, prober }: HealthCheckOptions): CheckEndpoint {
  /** Checks until an endpoint that refused its metrics is asked for them again, by id. */
  const pauses = new Map<string, number>();

  /** Metrics are optional: they may be off, or need another key. */
  async function askLoad(id: string, kind: RemoteKind, get: Get): Promise<ReportedLoad | undefined> {
    const pause = pauses.get(id) ?? 0;
    if (pause > 0) pauses.set(id, pause - 1);
    if (pause > 0 || !offersLoad(kind)) return undefined;
    try {
      return readLoad(kind, await get('/metrics'));
    } catch (error) {
      if (isRefusal(error)) pauses.set(id, metricsPause);
      return undefined;
    }
  }

  return async (endpoint, signal) => {
    const named: NamedEndpoint = { ...endpoint, remote };
    const kind = endpoint.kind === 'auto' ? (await prober.facts(named, signal)).kind : endpoint.kind;
    const get: Get = async (path) => {
      const { chunks } = await http.send(named, { method: 'GET', path, timeout: checkTimeout, signal });
      return readStart(chunks);
    };
    const [isHealthy, load] = await Promise.all([askHealth(healthPaths[kind], get), askLoad(endpoint.id, kind, get)]);
    return { isHealthy, load };
  };
}

/** Undefined: the path is not there, or needs another key; the endpoint may be fine. */
async function askHealth(path: string, get: Get): Promise<boolean | undefined> {
  try {
    await get(path);
    return true;
  } catch (error) {
    return isRefusal(error) ? undefined : false;
  }
}

/** The endpoint answers, but not this. */
function isRefusal(error: unknown): boolean {
  return error instanceof RemoteError && error.status !== undefined && error.status < 500;
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
