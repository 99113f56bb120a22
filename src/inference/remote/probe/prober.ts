// Asks endpoints what they are. The answers are kept for a minute; an endpoint that fails is asked again.

import { requestCanceled } from '../../../base/errors.ts';
import { createLruCache } from '../../../base/lru-cache.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { nanosecondsPerSecond } from '../../../base/time/duration.ts';
import type { NamedEndpoint, RemoteHttp } from '../http/remote-http.ts';
import { toObject, type WireObject } from '../json/json-fields.ts';
import { type EndpointFacts, toEndpointFacts } from './endpoint-facts.ts';

const validity = 60 * nanosecondsPerSecond;
const timeoutMs = 5000;
const maxKnown = 10_000;

export function createProber(http: Pick<RemoteHttp, 'call'>, clock: Clock) {
  const known = createLruCache<Known>(maxKnown);
  // One question serves many requests, so it must not end with the first of them.
  const lasting = new AbortController().signal;

  const ask = async (endpoint: NamedEndpoint): Promise<EndpointFacts> => {
    const get = async (path: string): Promise<WireObject> =>
      toObject(await http.call(endpoint, { method: 'GET', path, timeout: timeoutMs, signal: lasting }));
    const optional = (path: string): Promise<WireObject> => get(path).catch(() => ({}));
    const [models, ollamaVersion, openApi] = await Promise.all([
      get('/v1/models'),
      endpoint.kind === 'auto' || endpoint.kind === 'ollama' ? optional('/api/version') : {},
      optional('/openapi.json'),
    ]);
    return toEndpointFacts(endpoint.kind, { models, ollamaVersion, openApi });
  };
  const keyOf = (endpoint: NamedEndpoint): string => JSON.stringify([endpoint.remote, endpoint]);

  return {
    /** Throws a RemoteError if the endpoint does not list its models. */
    async facts(endpoint: NamedEndpoint, signal: AbortSignal): Promise<EndpointFacts> {
      const key = keyOf(endpoint);
      const entry = known.get(key);
      if (entry !== undefined && clock.monotonic() - entry.at < validity)
        return entry.found ?? untilAborted(entry.facts, signal);
      const asked: Known = { facts: ask(endpoint), at: clock.monotonic() };
      known.set(key, asked);
      asked.facts.then(
        (found) => {
          asked.found = found;
        },
        () => known.delete(key),
      );
      return untilAborted(asked.facts, signal);
    },
    /** The next use asks again. */
    forget: (endpoint: NamedEndpoint): void => void known.delete(keyOf(endpoint)),
  };
}

export type Prober = ReturnType<typeof createProber>;

interface Known {
  readonly facts: Promise<EndpointFacts>;
  /** Set once the endpoint has answered. */
  found?: EndpointFacts;
  /** Time of the monotonic clock. */
  readonly at: number;
}

function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(requestCanceled());
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
