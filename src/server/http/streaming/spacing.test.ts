import { expect, test } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import { Spacing } from './send-stream.ts';

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('the first object comes at once, the next one after the gap', async () => {
  const clock = createFakeClock();
  const spacing = new Spacing(clock);
  expect(spacing.wait()).toBeUndefined();
  spacing.begin();
  let isOver = false;
  const waited = spacing.wait()?.then(() => {
    isOver = true;
  });
  clock.advance(4);
  await settle();
  expect(isOver).toBe(false);
  clock.advance(1);
  await waited;
  expect(isOver).toBe(true);
});

test('an object that comes after the gap is not delayed, one shortly before it waits a whole millisecond', async () => {
  const clock = createFakeClock();
  const spacing = new Spacing(clock);
  spacing.begin();
  clock.advance(4.5);
  const waited = spacing.wait();
  expect(waited).toBeDefined();
  clock.advance(1);
  await waited;
  expect(spacing.wait()).toBeUndefined();
});
