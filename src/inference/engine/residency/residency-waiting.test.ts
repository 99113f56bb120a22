// Those who wait for a model, and those who get none.

import { describe, expect, test } from 'vitest';
import {
  fakeModel,
  gibibyte,
  minute,
  names,
  never,
  request,
  settle,
  setUp,
  setUpSlow,
} from '../../../../test/support/residency/fake-residency.ts';
import { HearthError } from '../../../base/errors.ts';

describe('who waits', () => {
  test('a slow load keeps nobody from a model that is loaded', async () => {
    const { residency, finish } = setUpSlow();
    const first = residency.acquire(request('a'), never);
    await settle();
    finish('a');
    (await first).release();
    void residency.acquire(request('slow'), never).catch(() => {});
    await settle();
    await expect(residency.acquire(request('a'), never)).resolves.toBeDefined();
  });

  test('is turned away when too many do, and not before the runner takes it up', async () => {
    const { residency } = setUp({ maxQueue: 2 });
    const [first] = await Promise.all([1, 2].map(() => residency.acquire(request('a'), never)));
    await expect(residency.acquire(request('a'), never)).rejects.toMatchObject({
      code: 'busy',
      message: 'server busy, please try again.  maximum pending requests exceeded',
      retryAfterSeconds: 1,
    });
    first?.begin();
    await expect(residency.acquire(request('a'), never)).resolves.toBeDefined();
  });

  test('does not count as long as the runner has a place, nor do those who wait for another model', async () => {
    const { model } = fakeModel(1);
    const started = { ...model, info: { ...model.info, parallel: 2 } };
    const { residency } = setUp({ maxQueue: 1, start: async () => started });
    const ask = (name: string) => residency.acquire(request(name), never);
    const first = await ask('a');
    const second = await ask('a');
    const third = await ask('a');
    await expect(ask('a')).rejects.toMatchObject({ code: 'busy' });
    await expect(ask('b')).resolves.toBeDefined();
    for (const held of [first, second]) held.begin();
    await expect(ask('a')).rejects.toMatchObject({ code: 'busy' });
    third.release();
    await expect(ask('a')).resolves.toBeDefined();
    await expect(residency.acquire({ ...request('a'), again: true }, never)).resolves.toBeDefined();
  });

  test('can be looked at, with what is loading', async () => {
    const { residency, clock, finish } = setUpSlow();
    const started = clock.now();
    const waiting = residency.acquire(request('3'), never);
    clock.advance(1000);
    void residency.acquire(request('3'), never).catch(() => {});
    await settle();
    const expiresAt = clock.now() + 5 * minute;
    expect(residency.loaded()).toMatchObject([
      { name: '3', state: 'loading', memory: { totalBytes: 3 * gibibyte }, leases: 0, queued: 2, expiresAt },
    ]);
    expect(residency.queue()).toEqual([
      {
        name: '3',
        key: '3',
        waiting: [
          { id: '1', since: started, for: 'model' },
          { id: '2', since: started + 1000, for: 'model' },
        ],
      },
    ]);
    finish('3');
    (await waiting).begin();
    expect(residency.loaded()).toMatchObject([{ state: 'busy', leases: 2, queued: 1, loaded: { pid: 1 } }]);
    expect(residency.queue()).toMatchObject([{ waiting: [{ id: '2', for: 'runner' }] }]);
  });

  test('whoever leaves during a load leaves at once; the load goes on', async () => {
    const { residency, finish } = setUpSlow();
    const controller = new AbortController();
    const waiting = residency.acquire(request('a'), controller.signal);
    await settle();
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
    expect(residency.queue()).toEqual([]);
    finish('a');
    await settle();
    expect(residency.loaded()).toMatchObject([{ name: 'a', state: 'idle' }]);
  });
});

describe('memory', () => {
  test('what can never fit is refused with both figures, and nobody has to go for it', async () => {
    const { residency } = setUp();
    (await residency.acquire(request('a'), never)).release();
    await expect(residency.acquire(request('11.5'), never)).rejects.toMatchObject({
      code: 'load_failed',
      message: 'model requires more system memory (11.5 GiB) than is available (10.0 GiB)',
    });
    expect(names(residency)).toEqual(['a']);
  });

  test('idle models go for those that need their memory', async () => {
    const { residency } = setUp();
    (await residency.acquire(request('6'), never)).release();
    (await residency.acquire(request('5'), never)).release();
    expect(names(residency)).toEqual(['5']);
  });

  test('what the runner says counts, also when it says it late', async () => {
    const late = fakeModel(1);
    const { residency } = setUp({ start: async ({ name }) => (name === 'late' ? late : fakeModel(2)).model });
    (await residency.acquire(request('2'), never)).release();
    const held = await residency.acquire(request('late'), never);
    Object.assign(late.model.runner, { memory: { totalBytes: 9 * gibibyte, deviceBytes: 0 } });
    held.begin();
    await settle();
    expect(names(residency)).toEqual(['late']);
  });

  test('an estimate that fails is an error and strands nobody', async () => {
    const { residency } = setUp({ estimate: () => Promise.reject(new Error('no such file')) });
    await expect(residency.acquire(request('a'), never)).rejects.toThrow('no such file');
    expect(residency.queue()).toEqual([]);
  });
});

test('a runner that dies while it loads is not started again at once', async () => {
  const { residency, clock, fail, loading } = setUpSlow();
  const attempt = async (): Promise<boolean> => {
    loading.clear();
    const waiting = residency.acquire(request('a'), never);
    await settle();
    const tried = loading.has('a');
    fail('a', new HearthError('runner_died', 'out of memory'));
    await expect(waiting).rejects.toThrow('out of memory');
    return tried;
  };
  expect([await attempt(), await attempt()]).toEqual([true, false]);
  clock.advance(1000);
  expect(await attempt()).toBe(true);
  clock.advance(1999);
  expect(await attempt()).toBe(false);
});
