// A residency with a fake clock and fake models.

import { createDeferred, type Deferred } from '../../../src/base/deferred.ts';
import { HearthError } from '../../../src/base/errors.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import type { LocalRequest } from '../../../src/inference/engine/local-request.ts';
import type { RunnerProcess } from '../../../src/inference/engine/process/runner-process.ts';
import type { StartedModel } from '../../../src/inference/engine/process/start-model.ts';
import {
  createResidency,
  type Residency,
  type ResidencyOptions,
} from '../../../src/inference/engine/residency/residency.ts';
import type { LoadOptions } from '../../../src/models/options.ts';
import { createFakeClock } from '../fake-clock.ts';

export const minute = 60_000;
export const neverAborted = new AbortController().signal;

export const gibibyte = 2 ** 30;

export function fakeModel(pid: number, totalBytes?: number) {
  const exited = createDeferred<HearthError | undefined>();
  const stop = async () => exited.resolve(undefined);
  const memory = totalBytes === undefined ? undefined : { totalBytes, deviceBytes: 0 };
  const runner = { pid, exited: exited.promise, stop, memory } as RunnerProcess;
  const model: StartedModel = {
    runner,
    info: { contextLength: 1 } as StartedModel['info'],
    plan: { length: 1 } as StartedModel['plan'],
    backend: 'cpu',
    fallback: undefined,
    layers: undefined,
    reduced: undefined,
  };
  return { model, die: (error: HearthError) => exited.resolve(error) };
}

/** A model takes 1 GiB, or as many GiB as its name says. */
export function setUp(options: Partial<ResidencyOptions> = {}) {
  const clock = createFakeClock();
  const models: ReturnType<typeof fakeModel>[] = [];
  const loads: string[] = [];
  const residency = createResidency({
    async start(request) {
      loads.push(request.name);
      const started = fakeModel(100 + models.length);
      models.push(started);
      return started.model;
    },
    estimate: async ({ name }) => ({ bytes: (Number(name) || 1) * gibibyte }),
    maxLoaded: 2,
    memoryBudget: 10 * gibibyte,
    maxQueue: 100,
    defaultKeepAliveMs: 5 * minute,
    clock,
    logger: silentLogger,
    ...options,
  });
  return { clock, models, loads, residency };
}

/** A load waits for `finish` or `fail`; a canceled load is rejected. */
export function setUpSlow(options: Partial<ResidencyOptions> = {}) {
  const loading = new Map<string, Deferred<StartedModel>>();
  const fixture = setUp({
    start({ name }, signal) {
      const load = createDeferred<StartedModel>();
      loading.set(name, load);
      signal.addEventListener('abort', () => load.reject(new HearthError('shutting_down', 'the model was unloaded')));
      return load.promise;
    },
    ...options,
  });
  const finish = (name: string): void => loading.get(name)?.resolve(fakeModel(1).model);
  const fail = (name: string, error: HearthError): void => loading.get(name)?.reject(error);
  return { ...fixture, loading, finish, fail };
}

export const request = (name: string, extra: Partial<LocalRequest> = {}): LocalRequest => ({
  name,
  source: { kind: 'local', key: name, weightsPath: name, adapterPaths: [], fileBytes: 0 },
  options: { numCtx: 100 } as LoadOptions,
  ...extra,
});

/** Runs the callbacks of settled promises. */
export const settle = async (): Promise<void> => {
  for (let round = 0; round < 20; round++) await Promise.resolve();
};

export const names = (residency: Residency): string[] => residency.loaded().map(({ name }) => name);
