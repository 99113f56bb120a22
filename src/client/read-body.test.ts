import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLineDecoder } from './read-body.ts';

test('lines do not depend on where the chunks end, even within a character', () => {
  const lines = ['{"a":"héllo"}', '{"b":"日本語 🦙"}', '{"c":1}'];
  const bytes = Buffer.from(`${lines.join('\n')}\n`);
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length)), (cuts) => {
      const decoder = createLineDecoder();
      const offsets = [0, ...cuts.sort((a, b) => a - b), bytes.length];
      const found = offsets.flatMap((from, index) => decoder.push(bytes.subarray(from, offsets[index + 1] ?? from)));
      expect([...found, ...decoder.end()]).toEqual(lines);
    }),
  );
});

test('the last line needs no newline, and empty lines are skipped', () => {
  const decoder = createLineDecoder();
  expect(decoder.push(Buffer.from('\n{"a":1}\r\n\n{"b"'))).toEqual(['{"a":1}\r']);
  expect(decoder.push(Buffer.from(':2}'))).toEqual([]);
  expect(decoder.end()).toEqual(['{"b":2}']);
  expect(decoder.end()).toEqual([]);
});

test('a line that exceeds the limit is refused', () => {
  const decoder = createLineDecoder(10);
  decoder.push(Buffer.from('12345'));
  expect(() => decoder.push(Buffer.from('678901'))).toThrow('a line of more than 10 bytes');
});
