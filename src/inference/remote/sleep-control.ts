// Puts endpoints to sleep and wakes them, where they offer it: vLLM and SGLang give back the memory of their GPUs.
// Elsewhere nothing happens.

import { messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { RemoteKind } from './endpoint.ts';
import type { NamedEndpoint, RemoteHttp } from './http/remote-http.ts';
import { toObject } from './json/json-fields.ts';
import type { EndpointFacts } from './probe/endpoint-facts.ts';

interface SleepCalls {
  readonly sleep: string;
  readonly wake: string;
  /** Absent: it does not tell. */
  readonly ask?: string;
}

const callsOf: Readonly<Partial<Record<RemoteKind, SleepCalls>>> = {
  // Level 1: the weights stay in main memory.
  vllm: { sleep: '/sleep?level=1', wake: '/wake_up', ask: '/is_sleeping' },
  sglang: { sleep: '/release_memory_occupation', wake: '/resume_memory_occupation' },
};

// Weights are copied meanwhile.
const timeoutMs = 120_000;

export function createSleepControl(http: Pick<RemoteHttp, 'send' | 'call'>, logger: Logger) {
  /** Endpoints that this server has put to sleep, with the wake-ups that are under way. */
  const asleep = new Map<string, Promise<void> | undefined>();
  /** Endpoints that were asked whether they sleep. */
  const asked = new Set<string>();
  const lasting = new AbortController().signal;
  const keyOf = ({ remote, id }: NamedEndpoint): string => `${remote} ${id}`;
  const post = async (endpoint: NamedEndpoint, path: string): Promise<void> => {
    const { chunks } = await http.send(endpoint, {
      method: 'POST',
      path,
      body: {},
      timeout: timeoutMs,
      signal: lasting,
    });
    for await (const _ of chunks);
  };
  /** Another program may have put it to sleep; requests to it would hang. */
  const findSleeping = async (endpoint: NamedEndpoint, path: string, signal: AbortSignal): Promise<void> => {
    const key = keyOf(endpoint);
    if (asked.has(key)) return;
    const answer = await http
      .call(endpoint, { method: 'GET', path, timeout: timeoutMs, signal })
      .catch(() => undefined);
    if (toObject(answer)['is_sleeping'] === true) asleep.set(key, undefined);
    asked.add(key);
  };

  return {
    /** Failures are logged: the caller has no use for them. */
    async sleep(endpoint: NamedEndpoint, { kind, features }: EndpointFacts): Promise<void> {
      const calls = callsOf[kind];
      if (calls === undefined || !features.has('sleep')) return;
      const key = keyOf(endpoint);
      try {
        asleep.set(key, undefined);
        await post(endpoint, calls.sleep);
        logger.info('put an endpoint to sleep', { remote: endpoint.remote, endpoint: endpoint.url });
      } catch (error) {
        asleep.delete(key);
        logger.warn('an endpoint does not sleep', { remote: endpoint.remote, reason: messageOf(error) });
      }
    },
    /** Does nothing unless the endpoint sleeps. */
    async wake(endpoint: NamedEndpoint, { kind, features }: EndpointFacts, signal: AbortSignal): Promise<void> {
      const calls = callsOf[kind];
      if (calls === undefined || !features.has('sleep')) return;
      if (calls.ask !== undefined) await findSleeping(endpoint, calls.ask, signal);
      const key = keyOf(endpoint);
      if (!asleep.has(key)) return;
      const waking = asleep.get(key) ?? post(endpoint, calls.wake);
      asleep.set(key, waking);
      // Requests that come meanwhile wait for the same wake-up.
      await waking.then(
        () => void asleep.delete(key),
        (error: unknown) => {
          asleep.set(key, undefined);
          throw error;
        },
      );
    },
    /** The endpoint has failed: the next use asks again whether it sleeps. */
    forget: (endpoint: NamedEndpoint): void => void asked.delete(keyOf(endpoint)),
  };
}

export type SleepControl = ReturnType<typeof createSleepControl>;
