import { expect, test } from 'vitest';
import { createAsyncQueue } from './async-queue.ts';

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

test('items arrive in order, whether they were pushed before or while somebody waits', async () => {
  const queue = createAsyncQueue<number>();
  queue.push(1);
  queue.push(2);
  const result = collect(queue);
  await Promise.resolve();
  queue.push(3);
  queue.end();
  expect(await result).toEqual([1, 2, 3]);
});

test('what was pushed before a failure is seen before the failure', async () => {
  const queue = createAsyncQueue<number>();
  queue.push(1);
  queue.fail(new Error('broken'));
  const iterator = queue[Symbol.asyncIterator]();
  expect(await iterator.next()).toEqual({ value: 1, done: false });
  await expect(iterator.next()).rejects.toThrow('broken');
});

test('items that wait are merged; nothing is lost and the order stays', async () => {
  const queue = createAsyncQueue<string>({ merge: (waiting, next) => (next === '|' ? undefined : waiting + next) });
  for (const item of ['a', 'b', '|', 'c', 'd']) queue.push(item);
  queue.end();
  expect(await collect(queue)).toEqual(['ab', '|cd']);
});

test('after the end nothing is taken any more', async () => {
  const queue = createAsyncQueue<number>();
  queue.end();
  queue.push(1);
  queue.fail(new Error('too late'));
  expect(await collect(queue)).toEqual([]);
});
