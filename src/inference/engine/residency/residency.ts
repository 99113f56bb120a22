// Which models are in memory. A request names a model and the options to load it with; it gets a lease on one that
// fits, or waits until one is loaded. residency-machine.ts decides; here its decisions are carried out, and it is told
// what came of them.

import { createDeferred, type Deferred } from '../../../base/deferred.ts';
import { HearthError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import { runOutsideRequests } from '../../../base/request-scope.ts';
import type { Clock, Timer } from '../../../base/time/clock.ts';
import { measuredMemory } from '../estimate-memory.ts';
import type { AcquireRequest, EngineObserver, LoadedModel, ModelQueue, ResidentModel } from '../ports.ts';
import type { RunnerProcess } from '../process/runner-process.ts';
import type { StartedModel } from '../process/start-model.ts';
import { describeLoaded, describeQueues, describeResident } from './describe-residency.ts';
import { advanceResidency } from './residency-machine.ts';
import {
  emptyResidency,
  type ModelState,
  type ResidencyAction,
  type ResidencyEvent,
  type ResidencyLimits,
} from './residency-state.ts';
import { createResident, type Resident } from './resident.ts';
import { createTimeline } from './timeline.ts';

export interface Residency {
  /** A loaded model of that kind, held for the caller until `release`. */
  acquire(request: AcquireRequest, signal: AbortSignal): Promise<Held>;
  unload(key: string): void;
  loaded(): ResidentModel[];
  queue(): ModelQueue[];
  close(graceMilliseconds: number): Promise<void>;
}

export interface Held {
  readonly runner: RunnerProcess;
  describe(): LoadedModel;
  /** The runner works on it: it waits no longer. */
  begin(): void;
  release(): void;
}

export interface ResidencyOptions extends Omit<ResidencyLimits, 'patience'> {
  readonly start: (request: AcquireRequest, signal: AbortSignal) => Promise<StartedModel>;
  /** Bytes of main memory that a load for this request will take. */
  readonly estimate: (request: AcquireRequest) => Promise<number>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly observer?: EngineObserver;
}

type WithoutTime<Event> = Event extends ResidencyEvent ? Omit<Event, 'at'> : never;

interface Waiting extends Deferred<Held> {
  readonly request: AcquireRequest;
}

// Milliseconds: an answer or two. In that time most models become idle by themselves.
const patience = 10_000;

export function createResidency(options: ResidencyOptions): Residency {
  const { start, estimate, clock, logger, observer, ...rest } = options;
  const limits: ResidencyLimits = { ...rest, patience };
  const timeline = createTimeline(clock);
  const residents = new Map<number, Resident>();
  const waiting = new Map<number, Waiting>();
  const empty = createDeferred<void>();
  let state = emptyResidency;
  let alarm: Timer | undefined;
  let lastCaller = 0;

  const tell = (event: WithoutTime<ResidencyEvent>): void => {
    const transition = advanceResidency(state, { ...event, at: timeline.now() } as ResidencyEvent, limits);
    state = transition.state;
    transition.actions.forEach(obey);
    if (state.closing && state.models.length === 0) empty.resolve();
  };

  function obey(action: ResidencyAction): void {
    switch (action.type) {
      case 'load':
        residents.set(action.model, load(action.model, action.caller));
        return;
      case 'stop':
        residents.get(action.model)?.stop();
        return;
      case 'grant':
        waiting.get(action.caller)?.resolve(hold(action.caller, action.model));
        return;
      case 'reject':
        waiting.get(action.caller)?.reject(action.error);
        return;
      case 'wake':
        alarm?.cancel();
        if (action.at !== undefined)
          alarm = clock.after(Math.max(action.at - timeline.now(), 0), () => tell({ type: 'tick' }));
    }
  }

  function load(model: number, caller: number): Resident {
    const { request } = waiting.get(caller) as Waiting;
    const leave = (event: WithoutTime<ResidencyEvent>): void => {
      residents.delete(model);
      tell(event);
    };
    // It outlives the request that it is loaded for.
    return runOutsideRequests(() =>
      createResident({
        name: request.name,
        start: (signal) => start(request, signal),
        clock,
        logger,
        ...(observer ? { observer } : {}),
        onLoaded: (slots) => tell({ type: 'loaded', model, bytes: bytesOf(model), slots }),
        onFailed: (error) => leave({ type: 'load-failed', model, error }),
        onGone: () => leave({ type: 'gone', model }),
      }),
    );
  }

  const find = (model: number): ModelState | undefined => state.models.find(({ id }) => id === model);

  /** As reported by the runner, otherwise as known so far. */
  function bytesOf(model: number): number {
    const memory = residents.get(model)?.started?.runner.memory;
    return memory ? measuredMemory(memory) : (find(model)?.bytes ?? 0);
  }

  /** The runner may report other figures later: an embedding context is created, or grows. */
  const measure = (model: number): void => {
    const bytes = bytesOf(model);
    if (bytes !== find(model)?.bytes) tell({ type: 'measured', model, bytes });
  };

  function hold(caller: number, model: number): Held {
    const started = residents.get(model)?.started as StartedModel;
    let lastKnown = find(model) as ModelState;
    let begun = false;
    return {
      runner: started.runner,
      describe() {
        lastKnown = find(model) ?? lastKnown;
        return describeLoaded(lastKnown, started, timeline);
      },
      begin() {
        if (begun) return;
        begun = true;
        measure(model);
        tell({ type: 'begin', caller });
      },
      release() {
        measure(model);
        tell({ type: 'release', caller });
      },
    };
  }

  const estimateFor = async (caller: number, request: AcquireRequest): Promise<void> => {
    const waits = state.callers.some(({ id, model }) => id === caller && model === undefined);
    if (waits) tell({ type: 'estimated', caller, bytes: await estimate(request) });
  };

  return {
    async acquire(request, signal) {
      if (signal.aborted) throw cancelled();
      const caller = ++lastCaller;
      const held = createDeferred<Held>();
      const leave = (error: Error): void => {
        tell({ type: 'leave', caller });
        held.reject(error);
      };
      const onAbort = (): void => leave(cancelled());
      waiting.set(caller, { ...held, request });
      signal.addEventListener('abort', onAbort);
      try {
        tell({ type: 'request', id: caller, ...toRequest(request) });
        estimateFor(caller, request).catch(leave);
        return await held.promise;
      } finally {
        signal.removeEventListener('abort', onAbort);
        waiting.delete(caller);
      }
    },
    unload: (key) => tell({ type: 'unload', key }),
    loaded: () =>
      state.models.map((model) => describeResident(state, model, residents.get(model.id)?.started, timeline)),
    queue: () => describeQueues(state, timeline),
    async close(graceMilliseconds) {
      tell({ type: 'close' });
      const timer = clock.after(graceMilliseconds, () => tell({ type: 'deadline' }));
      await empty.promise;
      timer.cancel();
      alarm?.cancel();
    },
  };
}

function toRequest({ name, files, options, keepAlive, requestId, again }: AcquireRequest) {
  return {
    key: files.key,
    name,
    fingerprint: JSON.stringify(options),
    ...(keepAlive === undefined ? {} : { keepAlive }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(again ? { again } : {}),
  };
}

function cancelled(): HearthError {
  return new HearthError('cancelled', 'request canceled');
}
