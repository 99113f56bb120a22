import { describe, expect, test } from 'vitest';
import {
  fakeModel,
  minute,
  names,
  never,
  request,
  settle,
  setUp,
  setUpSlow,
} from '../../../../test/support/residency/fake-residency.ts';
import { HearthError } from '../../../base/errors.ts';
import type { LoadOptions } from '../../../models/options.ts';

describe('loading', () => {
  test('once for many who come at the same time', async () => {
    const { residency, loads } = setUp();
    await Promise.all([1, 2, 3].map(() => residency.acquire(request('a'), never)));
    expect(loads).toEqual(['a']);
  });

  test('two names for the same weights share one', async () => {
    const { residency, loads } = setUp();
    await residency.acquire(request('a'), never);
    await residency.acquire({ ...request('b'), files: request('a').files }, never);
    expect(loads).toEqual(['a']);
  });

  test('again when an option of the load changes, but not under a running request', async () => {
    const { residency, loads } = setUp();
    const first = await residency.acquire(request('a'), never);
    const second = residency.acquire(request('a', { options: { numCtx: 200 } as LoadOptions }), never);
    await settle();
    expect(loads).toHaveLength(1);
    first.release();
    await second;
    expect(loads).toHaveLength(2);
  });

  test('a failed load fails those who waited, and the next one tries again', async () => {
    let attempts = 0;
    const { residency } = setUp({
      start: async () => {
        if (++attempts === 1) throw new HearthError('load_failed', 'broken file');
        return fakeModel(1).model;
      },
    });
    const both = [1, 2].map(() => residency.acquire(request('a'), never));
    for (const attempt of both) await expect(attempt).rejects.toThrow('broken file');
    await expect(residency.acquire(request('a'), never)).resolves.toBeDefined();
    expect(attempts).toBe(2);
  });
});

describe('keep_alive', () => {
  test('counts from the end of the last request', async () => {
    const { residency, clock } = setUp();
    const held = await residency.acquire(request('a'), never);
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

  test('stays what it was for requests that name none', async () => {
    const { residency, clock } = setUp();
    (await residency.acquire(request('a', { keepAlive: 60 * minute }), never)).release();
    (await residency.acquire(request('a'), never)).release();
    clock.advance(59 * minute);
    await settle();
    expect(names(residency)).toEqual(['a']);
  });

  test('zero lets it go right after the request, and not before', async () => {
    const { residency } = setUp();
    const held = await residency.acquire(request('a', { keepAlive: 0 }), never);
    await settle();
    expect(names(residency)).toEqual(['a']);
    held.release();
    await settle();
    expect(names(residency)).toEqual([]);
  });

  test('for ever is for ever', async () => {
    const { residency, clock } = setUp();
    (await residency.acquire(request('a', { keepAlive: Number.POSITIVE_INFINITY }), never)).release();
    clock.advance(1e12);
    await settle();
    expect(names(residency)).toEqual(['a']);
    expect(residency.loaded()[0]?.expiresAt).toBe(Number.POSITIVE_INFINITY);
  });

  test('unload waits for running requests; who comes meanwhile gets a fresh load', async () => {
    const { residency, loads } = setUp();
    const held = await residency.acquire(request('a'), never);
    residency.unload('a');
    const next = residency.acquire(request('a'), never);
    await settle();
    expect(loads).toHaveLength(1);
    held.release();
    await next;
    expect(loads).toHaveLength(2);
  });
});

describe('room', () => {
  test('the idle model that was used least recently makes place', async () => {
    const { residency, clock } = setUp();
    for (const name of ['a', 'b']) {
      (await residency.acquire(request(name), never)).release();
      clock.advance(1);
    }
    (await residency.acquire(request('a'), never)).release();
    clock.advance(1);
    await residency.acquire(request('c'), never);
    expect(names(residency).sort()).toEqual(['a', 'c']);
  });

  test('no running request is ended to make place: the next one waits', async () => {
    const { residency } = setUp({ maxLoaded: 1 });
    const held = await residency.acquire(request('a'), never);
    const waiting = residency.acquire(request('b'), never);
    await settle();
    expect(names(residency)).toEqual(['a']);
    held.release();
    await waiting;
    expect(names(residency)).toEqual(['b']);
  });

  test('whoever leaves the queue leaves it at once', async () => {
    const { residency } = setUp({ maxLoaded: 1 });
    await residency.acquire(request('a'), never);
    const controller = new AbortController();
    const waiting = residency.acquire(request('b'), controller.signal);
    await settle();
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
  });
});

test('a runner that dies is forgotten, and the next request loads again', async () => {
  const { residency, models, loads } = setUp();
  (await residency.acquire(request('a'), never)).release();
  models[0]?.die(new HearthError('runner_died', 'gone'));
  await settle();
  expect(names(residency)).toEqual([]);
  await residency.acquire(request('a'), never);
  expect(loads).toHaveLength(2);
});

describe('closing', () => {
  test('waits for running requests, then ends everything; nobody new gets in', async () => {
    const { residency } = setUp();
    const held = await residency.acquire(request('a'), never);
    const closed = residency.close(minute);
    await expect(residency.acquire(request('b'), never)).rejects.toMatchObject({ code: 'shutting_down' });
    await settle();
    expect(names(residency)).toEqual(['a']);
    held.release();
    await closed;
    expect(names(residency)).toEqual([]);
  });

  test('but not for ever', async () => {
    const { residency, clock } = setUp();
    await residency.acquire(request('a'), never);
    const closed = residency.close(minute);
    await settle();
    clock.advance(minute);
    await closed;
    expect(names(residency)).toEqual([]);
  });

  test('a load is called off, and whoever waits for it told', async () => {
    const { residency } = setUpSlow();
    const waiting = residency.acquire(request('a'), never);
    await settle();
    const closed = residency.close(minute);
    await expect(waiting).rejects.toMatchObject({ code: 'shutting_down' });
    await closed;
    expect(residency.loaded()).toEqual([]);
  });
});
