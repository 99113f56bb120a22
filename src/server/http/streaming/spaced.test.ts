import { expect, test } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import { spaced } from './spaced.ts';

async function* numbers(): AsyncGenerator<number> {
  yield 1;
  yield 2;
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('the first object comes at once, the next one after the gap, the end at once', async () => {
  const clock = createFakeClock();
  const seen: unknown[] = [];
  const read = async (): Promise<void> => {
    for await (const number of spaced(numbers(), clock)) seen.push(number);
    seen.push('end');
  };
  const done = read();
  await settle();
  expect(seen).toEqual([1]);
  clock.advance(4);
  await settle();
  expect(seen).toEqual([1]);
  clock.advance(1);
  await done;
  expect(seen).toEqual([1, 2, 'end']);
});

test('an object that comes after the gap is not delayed', async () => {
  const clock = createFakeClock();
  async function* slow(): AsyncGenerator<number> {
    yield 1;
    clock.advance(5);
    yield 2;
    clock.advance(4.5);
    yield 3;
  }
  const objects = spaced(slow(), clock);
  expect(await objects.next()).toEqual({ value: 1, done: false });
  expect(await objects.next()).toEqual({ value: 2, done: false });
  let seen: unknown;
  const third = objects.next().then((result) => {
    seen = result.value;
  });
  await settle();
  expect(seen).toBeUndefined();
  clock.advance(1);
  await third;
  expect(seen).toBe(3);
});

test('leaving the loop ends the source', async () => {
  let ended = false;
  async function* source(): AsyncGenerator<number> {
    try {
      yield 1;
    } finally {
      ended = true;
    }
  }
  for await (const _ of spaced(source(), createFakeClock())) break;
  expect(ended).toBe(true);
});
