import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLineDecoder } from './line-decoder.ts';

test('lines are the same wherever the network cuts them, also within a character', () => {
  const lines = ['{"a":"héllo"}', '{"b":"日本語 🦙"}', '{"c":1}'];
  const bytes = Buffer.from(`${lines.join('\n')}\n`);
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length)), (cuts) => {
      const decoder = createLineDecoder();
      const places = [0, ...cuts.sort((a, b) => a - b), bytes.length];
      const found = places.flatMap((from, index) => decoder.push(bytes.subarray(from, places[index + 1] ?? from)));
      expect([...found, ...decoder.end()]).toEqual(lines);
    }),
  );
});

test('the last line may do without a newline, and empty lines are none', () => {
  const decoder = createLineDecoder();
  expect(decoder.push(Buffer.from('\n{"a":1}\r\n\n{"b"'))).toEqual(['{"a":1}\r']);
  expect(decoder.push(Buffer.from(':2}'))).toEqual([]);
  expect(decoder.end()).toEqual(['{"b":2}']);
  expect(decoder.end()).toEqual([]);
});

test('a line that does not end is refused at its limit, not at the end of the memory', () => {
  const decoder = createLineDecoder(10);
  decoder.push(Buffer.from('12345'));
  expect(() => decoder.push(Buffer.from('678901'))).toThrow('a line of more than 10 bytes');
});
