import { expect, test } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import { createDeferred } from '../../../base/deferred.ts';
import { fillSilence } from './fill-silence.ts';

const interval = 1000;
const turn = () => new Promise((resolve) => setImmediate(resolve));

async function collectInto<T>(objects: AsyncIterable<T>, seen: T[]): Promise<void> {
  for await (const object of objects) seen.push(object);
}

test('an object per interval of silence, none while the stream is busy', async () => {
  const clock = createFakeClock();
  const [first, second] = [createDeferred<string>(), createDeferred<string>()];
  const source = async function* () {
    yield await first.promise;
    yield 'at once';
    yield await second.promise;
  };
  const seen: string[] = [];
  const end = collectInto(
    fillSilence(source(), { clock, intervalMs: interval, filler: () => 'still here', fillsStart: true }),
    seen,
  );
  const pass = async (milliseconds: number): Promise<void> => {
    await turn();
    clock.advance(milliseconds);
    await turn();
  };
  await pass(interval - 1);
  expect(seen).toEqual([]);
  await pass(1);
  await pass(interval);
  expect(seen).toEqual(['still here', 'still here']);
  await pass(interval - 1);
  first.resolve('a');
  await pass(1);
  expect(seen.slice(2)).toEqual(['a', 'at once']);
  await pass(interval - 1);
  second.resolve('b');
  await end;
  expect(seen.slice(4)).toEqual(['still here', 'b']);
});

test('an error of the stream is passed on', async () => {
  const failing = async function* () {
    yield 1;
    throw new Error('gone');
  };
  const filled = fillSilence(failing(), { clock: createFakeClock(), intervalMs: interval, filler: () => 0 });
  const seen: number[] = [];
  await expect(collectInto(filled, seen)).rejects.toThrow('gone');
  expect(seen).toEqual([1]);
});

test('a reader that stops ends the stream', async () => {
  let ended = false;
  const source = async function* () {
    try {
      for (;;) yield 1;
    } finally {
      ended = true;
    }
  };
  for await (const _ of fillSilence(source(), { clock: createFakeClock(), intervalMs: interval, filler: () => 0 }))
    break;
  expect(ended).toBe(true);
});

test('nothing is inserted before the first object unless that is asked for', async () => {
  const clock = createFakeClock();
  const first = createDeferred<string>();
  const source = async function* () {
    yield await first.promise;
  };
  const seen: string[] = [];
  const end = collectInto(fillSilence(source(), { clock, intervalMs: interval, filler: () => 'still here' }), seen);
  await turn();
  clock.advance(10 * interval);
  await turn();
  expect(seen).toEqual([]);
  first.resolve('a');
  await end;
  expect(seen).toEqual(['a']);
});
