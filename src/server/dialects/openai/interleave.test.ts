import { expect, test } from 'vitest';
import { createDeferred } from '../../../base/deferred.ts';
import { interleave } from './interleave.ts';

test('items come in order of arrival', async () => {
  const slow = createDeferred<void>();
  async function* first() {
    yield 'a';
    await slow.promise;
    yield 'b';
  }
  async function* second() {
    yield 'x';
    yield 'y';
    slow.resolve();
  }
  const seen: string[] = [];
  for await (const item of interleave([first(), second()])) seen.push(item);
  expect(seen).toEqual(['a', 'x', 'y', 'b']);
});

test('when one source fails, the others end', async () => {
  let ended = false;
  async function* endless() {
    try {
      for (;;) yield 1;
    } finally {
      ended = true;
    }
  }
  async function* failing(): AsyncGenerator<number> {
    yield 1;
    throw new Error('no more');
  }
  const read = async (): Promise<void> => {
    for await (const _ of interleave([endless(), failing()]));
  };
  await expect(read()).rejects.toThrow('no more');
  expect(ended).toBe(true);
});

test('when the reader stops, all sources end', async () => {
  let ended = 0;
  async function* endless() {
    try {
      for (;;) yield 1;
    } finally {
      ended++;
    }
  }
  for await (const _ of interleave([endless(), endless()])) break;
  expect(ended).toBe(2);
});
