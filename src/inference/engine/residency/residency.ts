// Executes the decisions of residency-machine.ts about which models are in memory, and reports the results to it. A
// request names a model and its load options; it gets a lease on a matching loaded model, or waits until one is loaded.

import { createDeferred, type Deferred } from '../../../base/deferred.ts';
import { requestCanceled } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import { runOutsideRequests } from '../../../base/request/request-scope.ts';
import type { Clock, Timer } from '../../../base/time/clock.ts';
import type { ResidentRequest } from '../local-request.ts';
import type { DeviceBytes } from '../planning/device-bytes.ts';
import type { LoadEstimate } from '../planning/estimate-load.ts';
import type { EngineObserver, LoadedModel, LoadTime, ModelQueue, ResidentModel } from '../ports.ts';
import type { HostedProcess, SpeechProcess } from '../process/model-process.ts';
import type { RunnerProcess } from '../process/runner-process.ts';
import type { StartedModel } from '../process/start-model.ts';
import {
  createTimeline,
  describeLoaded,
  describeQueues,
  describeResident,
  figuresOf,
  isKnown,
} from './describe-residency.ts';
import { advanceResidency } from './residency-machine.ts';
import {
  emptyResidency,
  limitPrefixes,
  type ModelState,
  type ResidencyAction,
  type ResidencyEvent,
  type ResidencyLimits,
} from './residency-state.ts';
import { createResident, type Resident } from './resident.ts';
import { type SleepChange, sleeperOf, tellSleeper } from './tell-sleeper.ts';
import { identifyLiterally, type LoadIdentity, toCaller } from './to-caller.ts';

export interface HeldModel {
  readonly runner: RunnerProcess | HostedProcess | SpeechProcess;
  readonly loadTime: LoadTime | undefined;
  describe(): LoadedModel;
  /** Aborts, with an error as its reason, if the request has lost its place in the queue before the runner started it. */
  readonly evicted: AbortSignal;
  /** The runner has started the request: it no longer counts as waiting. */
  begin(): void;
  release(): void;
}

export interface ResidencyOptions
  extends Omit<ResidencyLimits, 'patience' | 'reloadHoldMs' | 'reservedPlaces' | 'deviceBudgets'> {
  readonly start: (
    request: ResidentRequest,
    signal: AbortSignal,
    estimate: LoadEstimate,
    /** Gets what the load does. */
    report: (step: string) => void,
  ) => Promise<StartedModel>;
  /** Estimates the memory that a load for this request takes. */
  readonly estimate: (request: ResidentRequest) => Promise<LoadEstimate>;
  /** Bytes of each GPU for all models in total, as last measured. Absent: there are no limits. */
  readonly deviceBudgets?: () => DeviceBytes;
  /** Identifies the load options. `hasGpu` is undefined until a load has told. Absent: every difference counts. */
  readonly identify?: (request: ResidentRequest, hasGpu: boolean | undefined) => LoadIdentity;
  /** The most bytes of a model's prefix cache. Absent: it is not limited further. */
  readonly prefixCacheBytes?: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly observer?: EngineObserver;
}

type WithoutTime<Event> = Event extends ResidencyEvent ? Omit<Event, 'at'> : never;

interface Waiting extends Deferred<HeldModel> {
  readonly request: ResidentRequest;
  /** Absent until the estimate is done; a load starts only after it. */
  estimated?: LoadEstimate;
}

// The time of one or two answers. Most models become idle within it.
const patienceMs = 10_000;
const reloadHoldMs = 60_000;
const reservedPlaces = 256;

export function createResidency(options: ResidencyOptions) {
  const {
    start,
    estimate,
    identify = identifyLiterally,
    clock,
    logger,
    observer,
    deviceBudgets,
    prefixCacheBytes,
    ...rest
  } = options;
  const limits: ResidencyLimits = { ...rest, patience: patienceMs, reloadHoldMs, reservedPlaces };
  const timeline = createTimeline(clock);
  const residents = new Map<number, Resident>();
  const waiting = new Map<number, Waiting>();
  /** What each model was loaded for. */
  const origins = new Map<number, ResidentRequest>();
  const evictions = new Map<number, AbortController>();
  /** What the runners were told last. */
  const prefixLimits = new Map<number, number>();
  const empty = createDeferred<void>();
  let state = emptyResidency;
  let wakeTimer: Timer | undefined;
  let lastCaller = 0;
  let hasGpu: boolean | undefined;

  const dispatch = (event: WithoutTime<ResidencyEvent>): void => {
    const budgets = deviceBudgets === undefined ? {} : { deviceBudgets: deviceBudgets() };
    const now = { ...event, at: timeline.now() } as ResidencyEvent;
    const transition = advanceResidency(state, now, { ...limits, ...budgets });
    state = transition.state;
    transition.actions.forEach(execute);
    if (prefixCacheBytes !== undefined) sharePrefixMemory(prefixCacheBytes);
    if (state.closing && state.models.length === 0) empty.resolve();
  };

  const sharePrefixMemory = (wantedBytes: number): void => {
    const bytes = limitPrefixes(state.models, limits.memoryBudget, wantedBytes);
    for (const { id, loaded, stopping } of state.models) {
      if (!loaded || stopping || (prefixLimits.get(id) ?? wantedBytes) === bytes) continue;
      prefixLimits.set(id, bytes);
      residents.get(id)?.started?.runner.limitPrefixes(bytes);
    }
  };

  function execute(action: ResidencyAction): void {
    switch (action.type) {
      case 'load':
        residents.set(action.model, load(action.model, action.caller));
        return;
      case 'stop':
        residents.get(action.model)?.stop();
        return;
      case 'sleep':
      case 'wake-up':
        void changeSleep(action.model, action.type);
        return;
      case 'grant':
        waiting.get(action.caller)?.resolve(hold(action.caller, action.model));
        return;
      case 'reject':
        waiting.get(action.caller)?.reject(action.error);
        return;
      case 'evict':
        evictions.get(action.caller)?.abort(action.error);
        return;
      case 'wake':
        wakeTimer?.cancel();
        if (action.at !== undefined)
          wakeTimer = clock.after(Math.max(action.at - timeline.now(), 0), () => dispatch({ type: 'tick' }));
    }
  }

  function load(model: number, caller: number): Resident {
    const { request, estimated } = waiting.get(caller) as Required<Waiting>;
    origins.set(model, request);
    const remove = (event: WithoutTime<ResidencyEvent>): void => {
      residents.delete(model);
      prefixLimits.delete(model);
      origins.delete(model);
      dispatch(event);
    };
    // The load outlives the request that caused it.
    return runOutsideRequests(() =>
      createResident({
        name: request.name,
        start: (signal, report) => start(request, signal, estimated, report),
        clock,
        logger,
        observer,
        onLoaded: ({ gpus }) => {
          if (gpus !== undefined) learn(gpus > 0);
          reportLoaded(model);
        },
        onFailed: (error) => remove({ type: 'load-failed', model, error }),
        onExited: () => remove({ type: 'exited', model }),
      }),
    );
  }

  const reportLoaded = (model: number): void => {
    const { runner, info } = residents.get(model)?.started ?? {};
    const sleeping = runner && sleeperOf(runner)?.figures;
    dispatch({ type: 'loaded', model, ...memoryOf(model), slots: info?.parallel, sleeping });
  };

  async function changeSleep(model: number, change: SleepChange): Promise<void> {
    const isDone = await tellSleeper(residents.get(model), change, logger);
    if (!isDone) dispatch({ type: 'sleep-failed', model });
    else if (change === 'sleep') dispatch({ type: 'slept', model, ...memoryOf(model) });
    else reportLoaded(model);
  }

  /** Options of a GPU do not matter if there is none. A build that finds one outweighs others that do not. */
  function learn(found: boolean): void {
    if (hasGpu === true || hasGpu === found) return;
    hasGpu = found;
    const models = [...origins].map(([id, request]) => [id, identify(request, hasGpu).fingerprint] as const);
    const callers = [...waiting].map(([id, { request }]) => [id, identify(request, hasGpu).fingerprint] as const);
    dispatch({ type: 'learned', models: new Map(models), callers: new Map(callers) });
  }

  const find = (model: number): ModelState | undefined => state.models.find(({ id }) => id === model);

  const memoryOf = (model: number) => figuresOf(residents.get(model)?.started?.runner.memory, find(model));

  /** The runner may report other values later: an embedding context is created, or grows. */
  const measure = (model: number): void => {
    const figures = memoryOf(model);
    if (!isKnown(figures, find(model))) dispatch({ type: 'measured', model, ...figures });
  };

  function hold(caller: number, model: number): HeldModel {
    const started = residents.get(model)?.started as StartedModel;
    let lastKnown = find(model) as ModelState;
    const eviction = new AbortController();
    evictions.set(caller, eviction);
    let begun = false;
    return {
      runner: started.runner,
      loadTime: residents.get(model)?.loadTime,
      evicted: eviction.signal,
      describe() {
        lastKnown = find(model) ?? lastKnown;
        return describeLoaded(lastKnown, started, timeline);
      },
      begin() {
        if (begun) return;
        begun = true;
        evictions.delete(caller);
        measure(model);
        dispatch({ type: 'begin', caller });
      },
      release() {
        evictions.delete(caller);
        measure(model);
        dispatch({ type: 'release', caller });
      },
    };
  }

  const estimateFor = async (caller: number, request: ResidentRequest): Promise<void> => {
    const known = state.callers.find(({ id }) => id === caller);
    // A model that wakes up may fail to, and then another one is needed.
    const isWaking = known?.model !== undefined && residents.get(known.model)?.started !== undefined;
    if (known === undefined || known.granted || (known.model !== undefined && !isWaking)) return;
    const estimated = await estimate(request);
    const entry = waiting.get(caller);
    if (entry) entry.estimated = estimated;
    const { bytes, placement, devices = placement?.devices } = estimated;
    dispatch({ type: 'estimated', caller, bytes, ...(devices ? { devices } : {}) });
  };

  return {
    /** A loaded model with these options, held for the caller until `release`. */
    async acquire(request: ResidentRequest, signal: AbortSignal): Promise<HeldModel> {
      if (signal.aborted) throw requestCanceled();
      const caller = ++lastCaller;
      const held = createDeferred<HeldModel>();
      const leave = (error: Error): void => {
        dispatch({ type: 'leave', caller });
        held.reject(error);
      };
      const onAbort = (): void => leave(requestCanceled());
      waiting.set(caller, { ...held, request });
      signal.addEventListener('abort', onAbort);
      try {
        dispatch({ type: 'request', id: caller, ...toCaller(request), ...identify(request, hasGpu) });
        estimateFor(caller, request).catch(leave);
        return await held.promise;
      } finally {
        signal.removeEventListener('abort', onAbort);
        waiting.delete(caller);
      }
    },
    /** Resolves when a model without requests has left memory. Others are unloaded when their last request ends. */
    async unload(key: string, client?: string): Promise<boolean> {
      dispatch({ type: 'unload', key, client });
      const leaving = state.models.filter((model) => model.key === key && model.stopping);
      const isKept = state.models.some((model) => model.key === key && !model.retired && !model.stopping);
      await Promise.all(leaving.map(({ id }) => residents.get(id)?.ended));
      return !isKept;
    },
    loaded: (): ResidentModel[] =>
      state.models.map((model) => describeResident(state, model, residents.get(model.id), timeline)),
    queue: (): ModelQueue[] => describeQueues(state, timeline),
    async close(graceMilliseconds: number): Promise<void> {
      dispatch({ type: 'close' });
      const timer = clock.after(graceMilliseconds, () => dispatch({ type: 'deadline' }));
      await empty.promise;
      timer.cancel();
      wakeTimer?.cancel();
    },
  };
}

export type Residency = ReturnType<typeof createResidency>;
