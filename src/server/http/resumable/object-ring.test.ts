import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { HearthError } from '../../../base/errors.ts';
import { createObjectRing } from './object-ring.ts';

const { signal } = new AbortController();
const numbered = (number: number) => ({ number });

async function readAll(objects: AsyncIterable<object>): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const object of objects) found.push((object as { number: number }).number);
  return found;
}

test('readers get all objects, from wherever they begin and whenever they come', async () => {
  const ring = createObjectRing();
  ring.append(numbered(0));
  const early = readAll(ring.follow(0, signal));
  await setImmediate();
  for (const number of [1, 2]) ring.append(numbered(number));
  const middle = readAll(ring.follow(1, signal));
  const ahead = readAll(ring.follow(3, signal));
  await setImmediate();
  ring.append(numbered(3));
  ring.end();
  const late = readAll(ring.follow(0, signal));
  expect(await Promise.all([early, middle, ahead, late])).toEqual([[0, 1, 2, 3], [1, 2, 3], [3], [0, 1, 2, 3]]);
  expect(await readAll(ring.follow(10, signal))).toEqual([]);
});

test('an error comes after the objects, for every reader', async () => {
  const ring = createObjectRing();
  ring.append(numbered(0));
  const early = readAll(ring.follow(0, signal));
  ring.end(new HearthError('cancelled', 'request canceled'));
  for (const reader of [early, readAll(ring.follow(1, signal))])
    await expect(reader).rejects.toMatchObject({ code: 'cancelled' });
});

test('dropped objects are an error, at the beginning and in the middle', async () => {
  const ring = createObjectRing();
  for (const number of [0, 1, 2, 3]) ring.append(numbered(number));
  const slow = ring.follow(0, signal);
  expect((await slow.next()).value).toEqual(numbered(0));
  ring.dropOldest();
  ring.dropOldest();
  await expect(slow.next()).rejects.toMatchObject({ code: 'answer_dropped' });
  expect(() => ring.follow(1, signal)).toThrow('only the objects from 2 on are kept, and not 1');
  ring.end();
  expect(await readAll(ring.follow(2, signal))).toEqual([2, 3]);
});

test('the bytes are those of the objects that are kept', () => {
  const ring = createObjectRing();
  const bytes = ['a', 'b'.repeat(1000)].map((text) => ring.append({ text }));
  expect(ring.bytes()).toBe((bytes[0] ?? 0) + (bytes[1] ?? 0));
  expect(ring.bytes()).toBeGreaterThan(1000);
  expect([ring.dropOldest(), ring.dropOldest(), ring.dropOldest()]).toEqual([...bytes, 0]);
  expect(ring.bytes()).toBe(0);
});

test('a reader that leaves ends at once, and the others go on', async () => {
  const ring = createObjectRing();
  const leaving = new AbortController();
  const readers = [leaving.signal, signal].map((one) => readAll(ring.follow(0, one)));
  await setImmediate();
  leaving.abort();
  expect(await readers[0]).toEqual([]);
  ring.append(numbered(0));
  ring.end();
  expect(await readers[1]).toEqual([0]);
});
