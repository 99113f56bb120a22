// The engine for models of remotes: other servers load and run them, and a lease sends requests there.

import { HearthError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { Clock } from '../../base/time/clock.ts';
import { pause } from '../../base/time/pause.ts';
import type { ContextPlan } from '../engine/planning/context-plan.ts';
import type { AcquireRequest, Engine, LoadedModel } from '../engine/ports.ts';
import type { RemoteModelSource } from '../model/model-source.ts';
import type { CreateRouter, Endpoint, Router } from './endpoint.ts';
import type { RemoteHttp } from './http/remote-http.ts';
import type { LoopGuard } from './loop-guard.ts';
import type { Prober } from './probe/prober.ts';
import { createPromptTokenizer } from './prompt-tokenizer.ts';
import { createRemoteCalls } from './remote-calls.ts';
import { RemoteLease } from './remote-lease.ts';
import { createRemoteResidency } from './remote-residency.ts';
import type { RemoteStore } from './remotes/remote-store.ts';
import { createSleepControl } from './sleep-control.ts';
import { UnansweredLimit } from './unanswered-limit.ts';

interface RemoteEngineOptions {
  readonly remotes: Pick<RemoteStore, 'find'>;
  readonly http: RemoteHttp;
  readonly prober: Prober;
  readonly createRouter: CreateRouter;
  readonly loopGuard: Pick<LoopGuard, 'check'>;
  /** Milliseconds that a model stays in the list of loaded ones. */
  readonly keepAlive: number;
  /** Milliseconds that a remote may send nothing. */
  readonly timeout: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

// A remote may not tell its context length. Requests are not shortened here then, and the remote decides.
const unknownContext = 2 ** 30;

// Requests at the same time.
const crowd = 16;

/** The engine, whose leases can also converse. */
export type RemoteEngine = ReturnType<typeof createRemoteEngine>;

export function createRemoteEngine(options: RemoteEngineOptions) {
  const { remotes, http, prober, createRouter, loopGuard, keepAlive, timeout, clock, logger } = options;
  const closing = new AbortController();
  const sleepControl = createSleepControl(http, logger);
  const unanswered = new UnansweredLimit(clock);
  const routers = new Map<string, { readonly router: Router; endpoints: readonly Endpoint[] }>();
  /** The sources of models that were used, by key. */
  const sources = new Map<string, RemoteModelSource>();

  /** Routers check their endpoints, also those of remotes that were removed. */
  const closeUnused = (): void => {
    for (const [name, { router }] of routers) {
      if (remotes.find(name) !== undefined) continue;
      router.close();
      routers.delete(name);
    }
  };
  const routerFor = (remote: string): Router => {
    closeUnused();
    const { endpoints } = findRemote(remote);
    const known = routers.get(remote) ?? { router: createRouter(remote, endpoints), endpoints };
    routers.set(remote, known);
    if (known.endpoints !== endpoints) known.router.update(endpoints);
    known.endpoints = endpoints;
    return known.router;
  };
  const findRemote = (name: string) => {
    const found = remotes.find(name);
    if (found !== undefined) return found;
    const message = `there is no remote "${name}"; add it with \`hearth remote add ${name} --url ADDRESS\``;
    throw new HearthError('remote_not_found', message);
  };
  const putToSleep = async (key: string): Promise<void> => {
    const source = sources.get(key);
    const endpoints = source === undefined ? [] : (remotes.find(source.remote)?.endpoints ?? []);
    const sleepOne = async (endpoint: Endpoint): Promise<void> => {
      const named = { ...endpoint, remote: source?.remote ?? '' };
      // An endpoint that cannot be reached needs no sleep.
      const facts = await prober.facts(named, closing.signal).catch(() => undefined);
      if (facts !== undefined) await sleepControl.sleep(named, facts);
    };
    await Promise.all(endpoints.map(sleepOne));
  };
  const residency = createRemoteResidency({ keepAlive, clock, onUnload: putToSleep });

  return {
    async acquire(request: AcquireRequest, signal: AbortSignal): Promise<RemoteLease> {
      if (closing.signal.aborted) throw new HearthError('shutting_down', 'the server is shutting down');
      const source = requireRemote(request);
      loopGuard.check();
      const { remote, model } = source;
      const router = routerFor(remote);
      sources.set(source.key, source);
      const described = describe(request.name, source);
      const tokenizer = createPromptTokenizer({ remote, model, router, http, prober, clock });
      const parts = { remote, model, router, http, prober, tokenizer };
      const calls = createRemoteCalls({ ...parts, sleepControl, unanswered, timeout });
      return new RemoteLease({
        remote,
        calls,
        model: described,
        given: request.given ?? {},
        signal,
        isCrowded: () => residency.running() > crowd,
        clock,
        onRelease: residency.hold(described, request.keepAlive),
      });
    },
    planContext: (request) => planOf(requireRemote(request)),
    judgeLoad: async () => undefined,
    unload: (key) => residency.unload(key),
    loaded: residency.list,
    queue: () => [],
    async close(grace) {
      await Promise.race([residency.idle(), pause(clock, grace)]);
      closing.abort();
      for (const { router } of routers.values()) router.close();
      await http.close();
    },
  } satisfies Engine;
}

function requireRemote({ name, source }: AcquireRequest): RemoteModelSource {
  if (source.kind === 'remote') return source;
  throw new HearthError('internal', `model "${name}" is not a remote model`);
}

function planOf({ contextLength = unknownContext }: RemoteModelSource): ContextPlan {
  const cacheTypes = { keys: 'f16', values: 'f16' } as const;
  return { length: contextLength, lengths: [contextLength], source: 'trained', parallel: 1, cacheTypes, bytes: 0 };
}

function describe(name: string, source: RemoteModelSource): LoadedModel {
  const plan = planOf(source);
  return {
    name,
    key: source.key,
    info: {
      engine: 'remote',
      contextLength: plan.length,
      trainedContext: plan.length,
      parallel: 1,
      batch: 0,
      threads: 0,
    },
    plan,
    memory: { totalBytes: 0, deviceBytes: 0 },
    counters: undefined,
    backend: 'remote',
    fallback: undefined,
    layers: undefined,
    reduced: undefined,
    expiresAt: Number.POSITIVE_INFINITY,
  };
}
