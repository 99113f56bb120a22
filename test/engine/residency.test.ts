// Residency of models with real processes: Ember for answers, fixtures for failing loads.

import { afterEach, describe, expect, test } from 'vitest';
import { silentLogger } from '../../src/base/logger.ts';
import { systemClock } from '../../src/base/time/clock.ts';
import type { EngineSettings } from '../../src/inference/engine/create-engine.ts';
import { requireRunner } from '../../src/inference/engine/create-lease.ts';
import type { ContextPlan } from '../../src/inference/engine/planning/context-plan.ts';
import type { Engine, Lease } from '../../src/inference/engine/ports.ts';
import { startRunner } from '../../src/inference/engine/process/runner-process.ts';
import { startModel } from '../../src/inference/engine/process/start-model.ts';
import { createResidency, type Residency } from '../../src/inference/engine/residency/residency.ts';
import type { LoadCommand } from '../../src/inference/protocol/messages.ts';
import { type OptionValues, resolveOptions } from '../../src/models/options.ts';
import { acquireEmber, askEmber, emberSource, never, runnerScript, startEngine } from '../support/engine.ts';
import { fixtureRunner } from '../support/fixture-runner.ts';
import { childrenOf, commandOf, isAlive } from '../support/processes.ts';

const open: { close(grace: number): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((resource) => resource.close(0)));
});

function start(settings: Partial<EngineSettings> = {}): Engine {
  const engine = startEngine({ numParallel: 1, ...settings });
  open.push(engine);
  return engine;
}

/** Ember as a second model with another name. */
function acquireAs(engine: Engine, name: string, key = name): Promise<Lease> {
  return engine.acquire({ name, source: { ...emberSource, key }, options: resolveOptions({}).load }, never);
}

const runnerPids = (): number[] => childrenOf(process.pid).filter((pid) => commandOf(pid).includes(runnerScript));

/** The process that serves a request with these options. */
async function pidOf(engine: Engine, options: OptionValues = {}): Promise<number> {
  (await acquireEmber(engine, options)).release();
  const pids = runnerPids();
  expect(pids).toHaveLength(1);
  return pids[0] as number;
}

describe('Ember', () => {
  test('two names for the same weights share a runner', async () => {
    const engine = start();
    const [first, second] = await Promise.all([acquireAs(engine, 'a', 'same'), acquireAs(engine, 'b', 'same')]);
    expect(runnerPids()).toHaveLength(1);
    expect(engine.loaded()).toMatchObject([{ name: 'a', state: 'busy', leases: 2, queued: 2 }]);
    await Promise.all([first, second].map((lease) => askEmber(lease, 'Hi', { numPredict: 2 })));
    expect(engine.loaded()).toMatchObject([{ queued: 0 }]);
  });

  test('is reloaded only if a load option changes', async () => {
    const engine = start();
    const first = await pidOf(engine);
    expect(await pidOf(engine, { temperature: 0, seed: 7, numPredict: 3 })).toBe(first);
    // Setting a default value explicitly is not a change.
    expect(await pidOf(engine, { numBatch: 512 })).toBe(first);
    const second = await pidOf(engine, { numCtx: 256 });
    expect(second).not.toBe(first);
    expect(isAlive(first)).toBe(false);
    expect(engine.loaded()).toMatchObject([{ loaded: { info: { contextLength: 256 } } }]);
    expect(await pidOf(engine, { numCtx: 256 })).toBe(second);
  });

  test('a running answer is not stopped by a request with other options or by an unload', async () => {
    const engine = start();
    const lease = await acquireEmber(engine);
    const answer = askEmber(lease, 'Tell me a story.', { temperature: 0, numPredict: 60 });
    await engine.unload(emberSource.key);
    const other = acquireEmber(engine, { numCtx: 128 });
    expect((await answer).done.generatedTokens).toBeGreaterThan(1);
    expect(engine.loaded()).toMatchObject([{ state: 'draining', leases: 1, queued: 1 }]);
    lease.release();
    expect((await other).model.info.contextLength).toBe(128);
  });

  test('without memory for two models, one is loaded at a time; without memory for one, loading fails', async () => {
    const one = start({ memoryBudget: 300 * 2 ** 20 });
    (await acquireAs(one, 'a')).release();
    const { memory } = one.loaded()[0] as { memory: { totalBytes: number } };
    expect(memory.totalBytes).toBeGreaterThan(31_000_000);
    (await acquireAs(one, 'b')).release();
    expect(one.loaded().map(({ name }) => name)).toEqual(['b']);
    const none = start({ memoryBudget: 100 * 2 ** 20 });
    await expect(acquireAs(none, 'a')).rejects.toThrow(
      /^model requires more system memory \(0\.\d GiB\) than is available \(0\.1 GiB\)$/,
    );
  });
});

/** The name of a model selects its fixture. */
function startFixtures(): { residency: Residency; starts: string[]; pids: number[] } {
  const starts: string[] = [];
  const pids: number[] = [];
  const residency = createResidency({
    async start({ name }, signal) {
      starts.push(name);
      const started = await startModel({
        startRunner() {
          const options = { clock: systemClock, logger: silentLogger, loadTimeout: 30_000 };
          const runner = startRunner({ script: fixtureRunner(name), ...options });
          pids.push(runner.pid);
          signal.addEventListener('abort', () => void runner.stop());
          return runner;
        },
        command: { type: 'load' } as LoadCommand,
        attempts: [{ name: 'cpu', build: 'cpu', libraries: [] }],
        logger: silentLogger,
      });
      return { ...started, plan: {} as ContextPlan };
    },
    estimate: async () => ({ bytes: 1 }),
    maxLoaded: 3,
    memoryBudget: 10,
    maxQueue: 10,
    defaultKeepAliveMs: 60_000,
    clock: systemClock,
    logger: silentLogger,
  });
  open.push(residency);
  return { residency, starts, pids };
}

const requestFor = (name: string) => ({
  name,
  source: { kind: 'local' as const, key: name, weightsPath: name, adapterPaths: [], fileBytes: 0 },
  options: resolveOptions({}).load,
});

describe('a load', () => {
  test('that never ends does not block other models, and is stopped with the server', async () => {
    const { residency, starts, pids } = startFixtures();
    (await residency.acquire(requestFor('well-behaved'), never)).release();
    const stuck = residency.acquire(requestFor('never-ready'), never);
    stuck.catch(() => {});
    await expect.poll(() => starts).toEqual(['well-behaved', 'never-ready']);
    const held = await residency.acquire(requestFor('well-behaved'), never);
    expect(await requireRunner(held).runner.countTokens('abc')).toBe(3);
    held.release();
    expect(residency.loaded()).toMatchObject([
      { name: 'well-behaved', state: 'idle' },
      { name: 'never-ready', state: 'loading', queued: 1 },
    ]);
    await residency.close(0);
    await expect(stuck).rejects.toMatchObject({ code: 'shutting_down' });
    expect(pids.map(isAlive)).toEqual([false, false]);
  });

  test('that crashes is retried only after a delay', async () => {
    const { residency, starts } = startFixtures();
    const attempt = async (): Promise<number> => {
      await expect(residency.acquire(requestFor('crashes-on-load'), never)).rejects.toMatchObject({
        code: 'runner_died',
        message: expect.stringContaining('error: out of memory'),
      });
      return starts.length;
    };
    expect([await attempt(), await attempt(), await attempt()]).toEqual([1, 1, 1]);
    await expect.poll(attempt).toBe(2);
    expect([await attempt(), await attempt()]).toEqual([2, 2]);
  });

  test('continues when its request is canceled', async () => {
    const { residency, pids } = startFixtures();
    const controller = new AbortController();
    const waiting = residency.acquire(requestFor('well-behaved'), controller.signal);
    // Short, because the runner loads as soon as it has started.
    await expect.poll(() => pids.length, { interval: 1 }).toBe(1);
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
    await expect.poll(() => residency.loaded()[0]?.state).toBe('idle');
  });
});
