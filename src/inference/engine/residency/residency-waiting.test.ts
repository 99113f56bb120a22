// Callers that wait for a model, and callers that are rejected.

import { describe, expect, test } from 'vitest';
import {
  fakeModel,
  gibibyte,
  minute,
  names,
  neverAborted,
  request,
  settle,
  setUp,
  setUpSlow,
} from '../../../../test/support/residency/fake-residency.ts';
import { HearthError } from '../../../base/errors.ts';

describe('waiting', () => {
  test('a slow load does not delay callers of a loaded model', async () => {
    const { residency, finish } = setUpSlow();
    const first = residency.acquire(request('a'), neverAborted);
    await settle();
    finish('a');
    (await first).release();
    void residency.acquire(request('slow'), neverAborted).catch(() => {});
    await settle();
    await expect(residency.acquire(request('a'), neverAborted)).resolves.toBeDefined();
  });

  test('a request is rejected if the queue is full; it counts as waiting until the runner starts it', async () => {
    const { residency } = setUp({ maxQueue: 2 });
    const [first] = await Promise.all([1, 2].map(() => residency.acquire(request('a'), neverAborted)));
    await expect(residency.acquire(request('a'), neverAborted)).rejects.toMatchObject({
      code: 'busy',
      message: 'server busy, please try again.  maximum pending requests exceeded',
      retryAfterSeconds: 1,
    });
    first?.begin();
    await expect(residency.acquire(request('a'), neverAborted)).resolves.toBeDefined();
  });

  test('requests do not count while the runner has a free slot, nor do those for another model', async () => {
    const { model } = fakeModel(1);
    const started = { ...model, info: { ...model.info, parallel: 2 } };
    const { residency } = setUp({ maxQueue: 1, start: async () => started });
    const ask = (name: string) => residency.acquire(request(name), neverAborted);
    const first = await ask('a');
    const second = await ask('a');
    const third = await ask('a');
    await expect(ask('a')).rejects.toMatchObject({ code: 'busy' });
    await expect(ask('b')).resolves.toBeDefined();
    for (const held of [first, second]) held.begin();
    await expect(ask('a')).rejects.toMatchObject({ code: 'busy' });
    third.release();
    await expect(ask('a')).resolves.toBeDefined();
    await expect(residency.acquire({ ...request('a'), readmitted: true }, neverAborted)).resolves.toBeDefined();
  });

  test('a client with fewer requests takes the place of another; the loser is told, and no longer counts', async () => {
    const { residency } = setUp({ maxQueue: 2 });
    const ask = (client: string) => residency.acquire(request('a', { client }), neverAborted);
    const [first, second] = [await ask('many'), await ask('many')];
    const other = await ask('one');
    expect([first, second, other].map(({ evicted }) => evicted.aborted)).toEqual([false, true, false]);
    expect(second.evicted.reason).toMatchObject({ code: 'busy' });
    expect(residency.queue()[0]?.waiting).toHaveLength(2);
    second.release();
    await expect(ask('many')).rejects.toMatchObject({ code: 'busy' });
    expect(other.evicted.aborted).toBe(false);
  });

  test('loading models and the queue are reported', async () => {
    const { residency, clock, finish } = setUpSlow();
    const started = clock.now();
    const waiting = residency.acquire(request('3'), neverAborted);
    clock.advance(1000);
    void residency.acquire(request('3'), neverAborted).catch(() => {});
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
    expect(residency.loaded()).toMatchObject([{ state: 'busy', leases: 2, queued: 1 }]);
    expect(residency.queue()).toMatchObject([{ waiting: [{ id: '2', for: 'runner' }] }]);
  });

  test('a request canceled during a load is rejected at once; the load continues', async () => {
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
  test('a model larger than the budget is rejected with both sizes, and no other is unloaded for it', async () => {
    const { residency } = setUp();
    (await residency.acquire(request('a'), neverAborted)).release();
    await expect(residency.acquire(request('11.5'), neverAborted)).rejects.toMatchObject({
      code: 'load_failed',
      message: 'model requires more system memory (11.5 GiB) than is available (10.0 GiB)',
    });
    expect(names(residency)).toEqual(['a']);
  });

  test('idle models are unloaded to free memory', async () => {
    const { residency } = setUp();
    (await residency.acquire(request('6'), neverAborted)).release();
    (await residency.acquire(request('5'), neverAborted)).release();
    expect(names(residency)).toEqual(['5']);
  });

  test('the memory that the runner reports replaces the estimate, even after the load', async () => {
    const late = fakeModel(1);
    const { residency } = setUp({ start: async ({ name }) => (name === 'late' ? late : fakeModel(2)).model });
    (await residency.acquire(request('2'), neverAborted)).release();
    const held = await residency.acquire(request('late'), neverAborted);
    Object.assign(late.model.runner, { memory: { totalBytes: 9 * gibibyte, deviceBytes: 0 } });
    held.begin();
    await settle();
    expect(names(residency)).toEqual(['late']);
  });

  test('a failed estimate rejects the request', async () => {
    const { residency } = setUp({ estimate: () => Promise.reject(new Error('no such file')) });
    await expect(residency.acquire(request('a'), neverAborted)).rejects.toThrow('no such file');
    expect(residency.queue()).toEqual([]);
  });
});

test('a runner that dies while it loads is not started again at once', async () => {
  const { residency, clock, fail, loading } = setUpSlow();
  const attempt = async (): Promise<boolean> => {
    loading.clear();
    const waiting = residency.acquire(request('a'), neverAborted);
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
