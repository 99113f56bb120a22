import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createEventReader, createRemoteLines } from './split-lines.ts';

function linesOf(text: string, sizes: readonly number[] = []): string[] {
  const bytes = Buffer.from(text);
  const splitter = createRemoteLines('gpu', 100);
  let start = 0;
  const lines = [...sizes, bytes.length].flatMap((size) => {
    start += size;
    return splitter.push(bytes.subarray(start - size, start));
  });
  return [...lines, ...splitter.end()];
}

test('lines do not depend on the chunks, also inside of characters', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 5 })), (sizes) => {
      expect(linesOf('é\r\n\nzwei\n漢', sizes)).toEqual(['é', '', 'zwei', '漢']);
    }),
  );
});

test('a line that does not end is refused', () => {
  expect(() => linesOf('x'.repeat(101))).toThrow('a line of more than 100 bytes');
});

test('only the data of events is read', () => {
  const reader = createEventReader('gpu');
  const lines = [': comment', 'event: a', 'data: one', 'data:two', '', 'id: 1', '', 'data: three', ''];
  expect(lines.map(reader.push).filter((data) => data !== undefined)).toEqual(['one\ntwo', 'three']);
});
