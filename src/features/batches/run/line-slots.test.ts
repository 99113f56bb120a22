import { expect, test, vi } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import { createDeferred } from '../../../base/deferred.ts';
import { LineSlots } from './line-slots.ts';

const { signal } = new AbortController();

test('as many lines run as there are slots', async () => {
  const slots = new LineSlots({ count: 2, isNeeded: () => false, clock: createFakeClock() });
  const ends = [1, 2, 3].map(() => createDeferred<number>());
  const begun: number[] = [];
  const works = ends.map(({ promise }, index) =>
    slots.run(() => {
      begun.push(index);
      return promise;
    }, signal),
  );
  await vi.waitFor(() => expect(begun).toEqual([0, 1]), { timeout: 30_000 });
  ends[0]?.resolve(7);
  await vi.waitFor(() => expect(begun).toEqual([0, 1, 2]), { timeout: 30_000 });
  for (const { resolve } of ends) resolve(8);
  expect(await Promise.all(works)).toEqual([7, 8, 8]);
});

test('lines end when a person waits for a model, and begin again after a rest', async () => {
  const clock = createFakeClock();
  let isNeeded = false;
  const slots = new LineSlots({ count: 2, isNeeded: () => isNeeded, clock });
  const untilAborted = (lineSignal: AbortSignal): Promise<string> =>
    new Promise((resolve) => lineSignal.addEventListener('abort', () => resolve('gave way')));
  const first = slots.run(untilAborted, signal);
  isNeeded = true;
  await vi.waitFor(
    async () => {
      clock.advance(250);
      expect(await Promise.race([first, 'running'])).toBe('gave way');
    },
    { timeout: 30_000 },
  );
  isNeeded = false;
  let isBegun = false;
  const second = slots.run(async () => {
    isBegun = true;
  }, signal);
  clock.advance(5000);
  await Promise.resolve();
  expect(isBegun).toBe(false);
  await vi.waitFor(
    () => {
      clock.advance(1000);
      expect(isBegun).toBe(true);
    },
    { timeout: 30_000 },
  );
  await second;
});

test('a line that waits leaves with its batch', async () => {
  const slots = new LineSlots({ count: 1, isNeeded: () => false, clock: createFakeClock() });
  const end = createDeferred<void>();
  const running = slots.run(() => end.promise, signal);
  const leaving = new AbortController();
  const waiting = slots.run(async () => 'begun', leaving.signal);
  leaving.abort();
  expect(await waiting).toBeUndefined();
  end.resolve();
  await running;
});
