import { expect, test } from 'vitest';
import { createAsyncQueue } from './async-queue.ts';

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

test('items arrive in order, whether they are pushed before or during the iteration', async () => {
  const queue = createAsyncQueue<number>();
  queue.push(1);
  queue.push(2);
  const result = collect(queue);
  await Promise.resolve();
  queue.push(3);
  queue.end();
  expect(await result).toEqual([1, 2, 3]);
});

test('items pushed before a failure are delivered before the error', async () => {
  const queue = createAsyncQueue<number>();
  queue.push(1);
  queue.fail(new Error('broken'));
  const iterator = queue[Symbol.asyncIterator]();
  expect(await iterator.next()).toEqual({ value: 1, done: false });
  await expect(iterator.next()).rejects.toThrow('broken');
});

test('waiting items are merged without loss and in order', async () => {
  const queue = createAsyncQueue<string>({ merge: (waiting, next) => (next === '|' ? undefined : waiting + next) });
  for (const item of ['a', 'b', '|', 'c', 'd']) queue.push(item);
  queue.end();
  expect(await collect(queue)).toEqual(['ab', '|cd']);
});

test('items and errors after the end are ignored', async () => {
  const queue = createAsyncQueue<number>();
  queue.end();
  queue.push(1);
  queue.fail(new Error('too late'));
  expect(await collect(queue)).toEqual([]);
});
