import { expect, test } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { UnansweredLimit } from './unanswered-limit.ts';

const never = new AbortController().signal;
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A limit whose places for one model are taken. */
async function setUp() {
  const clock = createFakeClock();
  const limit = new UnansweredLimit(clock);
  const begin = (signal = never, key = 'm http://a') => limit.begin(key, 'gpu', signal);
  const begun = await Promise.all(Array.from({ length: 64 }, () => begin()));
  let late = 0;
  const beginLate = () => {
    const work = begin();
    void work.then(
      () => late++,
      () => {},
    );
    return work;
  };
  return { clock, begin, begun, beginLate, late: () => late };
}

test('an answer lets requests begin that wait, and other models do not wait', async () => {
  const { begin, begun, beginLate, late } = await setUp();
  await begin(never, 'other http://a');
  const waiting = [beginLate(), beginLate()];
  await settled();
  expect(late()).toBe(0);
  begun[0]?.end(true);
  await Promise.all(waiting);
  expect(late()).toBe(2);
});

test('requests that end without an answer leave no place until all have ended, so that a loop ends with its caller', async () => {
  const { clock, begun, beginLate, late } = await setUp();
  const waiting = beginLate();
  const [last, ...others] = begun;
  for (const request of others) request.end(false);
  clock.advance(10_000);
  last?.end(false);
  await settled();
  expect(late()).toBe(0);
  clock.advance(1000);
  await waiting;
});

test('a request that waits ends with its caller, and with an error if nothing is answered', async () => {
  const { clock, begin } = await setUp();
  const controller = new AbortController();
  const left = begin(controller.signal);
  controller.abort();
  await expect(left).rejects.toMatchObject({ code: 'cancelled' });
  const late = begin();
  clock.advance(30_000);
  await expect(late).rejects.toMatchObject({
    code: 'busy',
    outcome: 'busy',
    message: expect.stringContaining('leads back'),
  });
});
