// Which models are in memory, with real processes: Ember where it has to answer, fixtures where a load goes wrong.

import { afterEach, describe, expect, test } from 'vitest';
import type { EngineSettings } from '../../src/engine/create-engine.ts';
import type { Engine, Lease } from '../../src/engine/ports.ts';
import { createResidency, type Residency } from '../../src/engine/residency.ts';
import { startRunner } from '../../src/engine/runner-process.ts';
import { startModel } from '../../src/engine/start-model.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLogger } from '../../src/kernel/logger.ts';
import { type OptionValues, resolveOptions } from '../../src/model/options.ts';
import type { LoadCommand } from '../../src/protocol/messages.ts';
import { acquireEmber, askEmber, emberFiles, never, startEngine } from '../support/engine.ts';
import { fixtureRunner } from '../support/fixture-runner.ts';
import { isAlive } from '../support/processes.ts';

const open: { close(grace: number): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close(0)));
});

function start(settings: Partial<EngineSettings> = {}): Engine {
  const engine = startEngine({ numParallel: 1, ...settings });
  open.push(engine);
  return engine;
}

/** Ember under another name, as another model. */
function acquireAs(engine: Engine, name: string, key = name): Promise<Lease> {
  return engine.acquire({ name, files: { ...emberFiles, key }, options: resolveOptions({}).load }, never);
}

async function pidOf(engine: Engine, options: OptionValues = {}): Promise<number> {
  const lease = await acquireEmber(engine, options);
  lease.release();
  return lease.model.pid;
}

describe('Ember', () => {
  test('two names for the same weights share a runner', async () => {
    const engine = start();
    const [first, second] = await Promise.all([acquireAs(engine, 'a', 'same'), acquireAs(engine, 'b', 'same')]);
    expect(second.model.pid).toBe(first.model.pid);
    expect(engine.loaded()).toMatchObject([{ name: 'a', state: 'busy', leases: 2, queued: 2 }]);
    await Promise.all([first, second].map((lease) => askEmber(lease, 'Hi', { numPredict: 2 })));
    expect(engine.loaded()).toMatchObject([{ queued: 0 }]);
  });

  test('is loaded again when an option of the load changes, and only then', async () => {
    const engine = start();
    const first = await pidOf(engine);
    expect(await pidOf(engine, { temperature: 0, seed: 7, numPredict: 3 })).toBe(first);
    // Asking for what is the default anyway is no change.
    expect(await pidOf(engine, { numBatch: 512 })).toBe(first);
    const second = await pidOf(engine, { numCtx: 256 });
    expect(second).not.toBe(first);
    expect(isAlive(first)).toBe(false);
    expect(engine.loaded()).toMatchObject([{ loaded: { pid: second, info: { contextLength: 256 } } }]);
    expect(await pidOf(engine, { numCtx: 256 })).toBe(second);
  });

  test('an answer under way is not ended by a request for other options, nor by an unload', async () => {
    const engine = start();
    const lease = await acquireEmber(engine);
    const answer = askEmber(lease, 'Tell me a story.', { temperature: 0, numPredict: 60 });
    engine.unload(emberFiles.key);
    const other = acquireEmber(engine, { numCtx: 128 });
    expect((await answer).done.stats.generatedTokens).toBeGreaterThan(1);
    expect(engine.loaded()).toMatchObject([{ state: 'draining', leases: 1, queued: 1 }]);
    lease.release();
    expect((await other).model.info.contextLength).toBe(128);
  });

  test('what has no room for two has one at a time, and what has none says so', async () => {
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

/** Each model is loaded into the fixture that it is named after. */
function startFixtures(): { residency: Residency; starts: string[]; pids: number[] } {
  const starts: string[] = [];
  const pids: number[] = [];
  const residency = createResidency({
    start({ name }, signal) {
      starts.push(name);
      return startModel({
        startRunner() {
          const options = { clock: systemClock, logger: silentLogger, loadTimeout: 30_000 };
          const runner = startRunner({ script: fixtureRunner(name), ...options });
          pids.push(runner.pid);
          signal.addEventListener('abort', () => void runner.stop());
          return runner;
        },
        command: { type: 'load' } as LoadCommand,
        logger: silentLogger,
      });
    },
    estimate: async () => 1,
    maxLoaded: 3,
    memoryBudget: 10,
    maxQueue: 10,
    defaultKeepAlive: 60_000,
    clock: systemClock,
    logger: silentLogger,
  });
  open.push(residency);
  return { residency, starts, pids };
}

const requestFor = (name: string) => ({
  name,
  files: { key: name, weightsPath: name, adapterPaths: [] },
  options: resolveOptions({}).load,
});

describe('a load', () => {
  test('that never ends keeps nobody from another model, and is ended with the server', async () => {
    const { residency, starts, pids } = startFixtures();
    (await residency.acquire(requestFor('well-behaved'), never)).release();
    const stuck = residency.acquire(requestFor('never-ready'), never);
    stuck.catch(() => {});
    await expect.poll(() => starts).toEqual(['well-behaved', 'never-ready']);
    const held = await residency.acquire(requestFor('well-behaved'), never);
    expect(await held.runner.countTokens('abc')).toBe(3);
    held.release();
    expect(residency.loaded()).toMatchObject([
      { name: 'well-behaved', state: 'idle' },
      { name: 'never-ready', state: 'loading', queued: 1 },
    ]);
    await residency.close(0);
    await expect(stuck).rejects.toMatchObject({ code: 'shutting_down' });
    expect(pids.map(isAlive)).toEqual([false, false]);
  });

  test('that crashes is not tried again at once, but is after a while', async () => {
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

  test('does not end with the one who asked for it', async () => {
    const { residency, pids } = startFixtures();
    const controller = new AbortController();
    const waiting = residency.acquire(requestFor('well-behaved'), controller.signal);
    await expect.poll(() => pids.length).toBe(1);
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
    await expect.poll(() => residency.loaded()[0]?.state).toBe('idle');
  });
});
