import { describe, expect, test } from 'vitest';
import {
  fakeModel,
  minute,
  names,
  neverAborted,
  request,
  settle,
  setUp,
  setUpSlow,
} from '../../../../test/support/residency/fake-residency.ts';
import { createDeferred, type Deferred } from '../../../base/deferred.ts';
import { HearthError } from '../../../base/errors.ts';
import type { LoadOptions } from '../../../models/options.ts';
import type { StartedModel } from '../process/start-model.ts';
import type { ResidencyOptions } from './residency.ts';

describe('loading', () => {
  test('concurrent requests share one load', async () => {
    const { residency, loads } = setUp();
    await Promise.all([1, 2, 3].map(() => residency.acquire(request('a'), neverAborted)));
    expect(loads).toEqual(['a']);
  });

  test('two names for the same weights share one load', async () => {
    const { residency, loads } = setUp();
    await residency.acquire(request('a'), neverAborted);
    await residency.acquire({ ...request('b'), source: request('a').source }, neverAborted);
    expect(loads).toEqual(['a']);
  });

  test('another load option leads to another load, after running requests have ended', async () => {
    const { residency, loads } = setUp();
    const first = await residency.acquire(request('a'), neverAborted);
    const second = residency.acquire(request('a', { options: { numCtx: 200 } as LoadOptions }), neverAborted);
    await settle();
    expect(loads).toHaveLength(1);
    first.release();
    await second;
    expect(loads).toHaveLength(2);
  });

  const ofGpu = (numGpu: number) => request('a', { options: { numCtx: 100, numGpu } as LoadOptions });
  // Without a GPU, options of the GPU do not count.
  const identify: ResidencyOptions['identify'] = ({ options: { numCtx, numGpu } }, hasGpu) => ({
    fingerprint: JSON.stringify([numCtx, hasGpu === false ? 0 : numGpu]),
  });
  const withGpus = (gpus: number) => {
    const { model } = fakeModel(1);
    return { ...model, info: { ...model.info, gpus } };
  };

  test.each([
    ['the first load shows that there is no GPU', 0, 1],
    ['there is a GPU', 1, 2],
  ])('options of the GPU: %s', async (_, gpus, loads) => {
    let starts = 0;
    const start = async () => {
      starts++;
      return withGpus(gpus);
    };
    const { residency } = setUp({ identify, start });
    (await residency.acquire(ofGpu(5), neverAborted)).release();
    (await residency.acquire(ofGpu(0), neverAborted)).release();
    expect(starts).toBe(loads);
    (await residency.acquire(ofGpu(0), neverAborted)).release();
    expect(starts).toBe(loads);
  });

  test('a request that waits for a reload joins when the first load shows that it needs none', async () => {
    const loading: Deferred<StartedModel>[] = [];
    const start = () => {
      const load = createDeferred<StartedModel>();
      loading.push(load);
      return load.promise;
    };
    const { residency } = setUp({ identify, start });
    const both = [5, 0].map((numGpu) => residency.acquire(ofGpu(numGpu), neverAborted));
    await settle();
    loading[0]?.resolve(withGpus(0));
    await Promise.all(both);
    expect(loading).toHaveLength(1);
  });

  test('a failed load rejects its waiting requests, and the next request loads again', async () => {
    let attempts = 0;
    const { residency } = setUp({
      start: async () => {
        if (++attempts === 1) throw new HearthError('load_failed', 'broken file');
        return fakeModel(1).model;
      },
    });
    const both = [1, 2].map(() => residency.acquire(request('a'), neverAborted));
    for (const attempt of both) await expect(attempt).rejects.toThrow('broken file');
    await expect(residency.acquire(request('a'), neverAborted)).resolves.toBeDefined();
    expect(attempts).toBe(2);
  });
});

describe('keep_alive', () => {
  test('starts at the end of the last request', async () => {
    const { residency, clock } = setUp();
    const held = await residency.acquire(request('a'), neverAborted);
    clock.advance(60 * minute);
    expect(names(residency)).toEqual(['a']);
    held.release();
    clock.advance(5 * minute - 1);
    await settle();
    expect(names(residency)).toEqual(['a']);
    clock.advance(1);
    await settle();
    expect(names(residency)).toEqual([]);
  });

  test('is unchanged by requests without one', async () => {
    const { residency, clock } = setUp();
    (await residency.acquire(request('a', { keepAlive: 60 * minute }), neverAborted)).release();
    (await residency.acquire(request('a'), neverAborted)).release();
    clock.advance(59 * minute);
    await settle();
    expect(names(residency)).toEqual(['a']);
  });

  test('0 unloads the model right after the request, not before', async () => {
    const { residency } = setUp();
    const held = await residency.acquire(request('a', { keepAlive: 0 }), neverAborted);
    await settle();
    expect(names(residency)).toEqual(['a']);
    held.release();
    await settle();
    expect(names(residency)).toEqual([]);
  });

  test('infinity never unloads the model', async () => {
    const { residency, clock } = setUp();
    (await residency.acquire(request('a', { keepAlive: Number.POSITIVE_INFINITY }), neverAborted)).release();
    clock.advance(1e12);
    await settle();
    expect(names(residency)).toEqual(['a']);
    expect(residency.loaded()[0]?.expiresAt).toBe(Number.POSITIVE_INFINITY);
  });

  test('unload resolves when an idle model has left memory, and at once for a busy one', async () => {
    const { residency, clock } = setUp();
    const held = await residency.acquire(request('a'), neverAborted);
    await residency.unload('a');
    expect(residency.loaded()).toMatchObject([{ name: 'a', state: 'draining', expiresAt: clock.now() }]);
    held.release();
    (await residency.acquire(request('a'), neverAborted)).release();
    await residency.unload('a');
    expect(names(residency)).toEqual([]);
    await residency.unload('a');
  });

  test('unload waits for running requests; new requests in the meantime get another load', async () => {
    const { residency, loads } = setUp();
    const held = await residency.acquire(request('a'), neverAborted);
    void residency.unload('a');
    const next = residency.acquire(request('a'), neverAborted);
    await settle();
    expect(loads).toHaveLength(1);
    held.release();
    await next;
    expect(loads).toHaveLength(2);
  });
});

describe('making room', () => {
  test('the least recently used idle model is unloaded', async () => {
    const { residency, clock } = setUp();
    for (const name of ['a', 'b']) {
      (await residency.acquire(request(name), neverAborted)).release();
      clock.advance(1);
    }
    (await residency.acquire(request('a'), neverAborted)).release();
    clock.advance(1);
    await residency.acquire(request('c'), neverAborted);
    expect(names(residency).sort()).toEqual(['a', 'c']);
  });

  test('a running request is never aborted: the next request waits', async () => {
    const { residency } = setUp({ maxLoaded: 1 });
    const held = await residency.acquire(request('a'), neverAborted);
    const waiting = residency.acquire(request('b'), neverAborted);
    await settle();
    expect(names(residency)).toEqual(['a']);
    held.release();
    await waiting;
    expect(names(residency)).toEqual(['b']);
  });

  test('a canceled request leaves the queue at once', async () => {
    const { residency } = setUp({ maxLoaded: 1 });
    await residency.acquire(request('a'), neverAborted);
    const controller = new AbortController();
    const waiting = residency.acquire(request('b'), controller.signal);
    await settle();
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
  });
});

test('after a runner has died, the next request loads the model again', async () => {
  const { residency, models, loads } = setUp();
  (await residency.acquire(request('a'), neverAborted)).release();
  models[0]?.die(new HearthError('runner_died', 'exit code 1'));
  await settle();
  expect(names(residency)).toEqual([]);
  await residency.acquire(request('a'), neverAborted);
  expect(loads).toHaveLength(2);
});

describe('closing', () => {
  test('waits for running requests and rejects new ones', async () => {
    const { residency } = setUp();
    const held = await residency.acquire(request('a'), neverAborted);
    const closed = residency.close(minute);
    await expect(residency.acquire(request('b'), neverAborted)).rejects.toMatchObject({ code: 'shutting_down' });
    await settle();
    expect(names(residency)).toEqual(['a']);
    held.release();
    await closed;
    expect(names(residency)).toEqual([]);
  });

  test('ends running requests after the grace period', async () => {
    const { residency, clock } = setUp();
    await residency.acquire(request('a'), neverAborted);
    const closed = residency.close(minute);
    await settle();
    clock.advance(minute);
    await closed;
    expect(names(residency)).toEqual([]);
  });

  test('cancels loads and rejects their requests', async () => {
    const { residency } = setUpSlow();
    const waiting = residency.acquire(request('a'), neverAborted);
    await settle();
    const closed = residency.close(minute);
    await expect(waiting).rejects.toMatchObject({ code: 'shutting_down' });
    await closed;
    expect(residency.loaded()).toEqual([]);
  });
});
