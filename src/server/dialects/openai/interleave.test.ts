import { expect, test } from 'vitest';
import { createDeferred } from '../../../base/deferred.ts';
import { interleave } from './interleave.ts';

test('items come in order of arrival, with the index of their source', async () => {
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
  for await (const { index, item } of interleave([first(), second()])) seen.push(`${index}${item}`);
  expect(seen).toEqual(['0a', '1x', '1y', '0b']);
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
