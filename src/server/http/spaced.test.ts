import { expect, test } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { spaced } from './spaced.ts';

async function* numbers(): AsyncGenerator<number> {
  yield 1;
  yield 2;
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('the first comes at once, the next when a little time has passed, the end at once', async () => {
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

test('whoever leaves leaves the source too', async () => {
  let left = false;
  async function* source(): AsyncGenerator<number> {
    try {
      yield 1;
    } finally {
      left = true;
    }
  }
  for await (const _ of spaced(source(), createFakeClock())) break;
  expect(left).toBe(true);
});
