import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readEventData, readLines } from './read-lines.ts';

async function* chunksOf(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let start = 0;
  for (const size of [...sizes, bytes.length]) {
    yield bytes.subarray(start, start + size);
    start += size;
  }
}

async function collectAll<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const linesOf = (text: string, sizes: readonly number[] = []) =>
  readLines(chunksOf(Buffer.from(text), sizes), 'gpu', 100);

test('lines do not depend on the chunks, also inside of characters', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 5 })), async (sizes) => {
      expect(await collectAll(linesOf('é\r\n\nzwei\n漢', sizes))).toEqual(['é', '', 'zwei', '漢']);
    }),
  );
});

test('a line that does not end is refused', async () => {
  await expect(collectAll(linesOf('x'.repeat(101)))).rejects.toThrow('a line of more than 100 bytes');
});

test('only the data of events is read', async () => {
  const text = ': comment\nevent: a\ndata: one\ndata:two\n\nid: 1\n\ndata: three';
  expect(await collectAll(readEventData(linesOf(text), 'gpu'))).toEqual(['one\ntwo', 'three']);
});
