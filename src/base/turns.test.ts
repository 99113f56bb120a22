import { expect, test } from 'vitest';
import { createDeferred } from './deferred.ts';
import { createTurns } from './turns.ts';

const never = new AbortController().signal;

test('one at a time, in order, also after a failure', async () => {
  const turns = createTurns(10);
  const log: string[] = [];
  const first = createDeferred<void>();
  const work = (name: string, until: Promise<void> = Promise.resolve()) =>
    turns.run(async () => {
      log.push(`${name} starts`);
      await until;
      log.push(`${name} ends`);
    }, never);
  const all = [work('a', first.promise), work('b'), work('c')];
  await expect.poll(() => log).toEqual(['a starts']);
  first.reject(new Error('failed'));
  await expect(all[0]).rejects.toThrow('failed');
  await Promise.all(all.slice(1));
  expect(log).toEqual(['a starts', 'b starts', 'b ends', 'c starts', 'c ends']);
});

test('a canceled work leaves the queue at once, and does not run', async () => {
  const turns = createTurns(1);
  const first = createDeferred<void>();
  const running = turns.run(() => first.promise, never);
  const controller = new AbortController();
  let ran = false;
  const canceled = turns.run(async () => {
    ran = true;
  }, controller.signal);
  await expect(turns.run(async () => {}, never)).rejects.toMatchObject({ code: 'busy' });
  controller.abort();
  await expect(canceled).rejects.toMatchObject({ code: 'cancelled' });
  const next = turns.run(async () => 'next', never);
  first.resolve();
  await running;
  expect(await next).toBe('next');
  expect(ran).toBe(false);
});

test('a turn that is taken ends once its holder says so', async () => {
  const turns = createTurns(1);
  const { signal } = new AbortController();
  const end = await turns.take(signal);
  const next = turns.take(signal);
  await expect(turns.take(signal)).rejects.toMatchObject({ code: 'busy' });
  end();
  (await next)();
  expect(await turns.run(async () => 'free', signal)).toBe('free');
});
