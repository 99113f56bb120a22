import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createValueCounter } from './value-counter.ts';

const accepts = (text: string, maxValues: number): boolean => {
  try {
    createValueCounter(maxValues).addText(text);
    return true;
  } catch {
    return false;
  }
};

describe('counts names and values', () => {
  test.each([
    ['{}', 1],
    ['{"a":1}', 2],
    ['[1,2,[3]]', 4],
    ['{"a":"x,y:[{","b":"\\",\\\\"}', 4],
    ['"{[,:"', 0],
    ['"\u{1f600},é"', 0],
  ])('%s: %i', (text, count) => {
    expect(accepts(text, count)).toBe(true);
    expect(accepts(text, count - 1)).toBe(false);
  });
});

test('the parts of a text count as the whole', () => {
  const property = fc.property(fc.jsonValue(), fc.nat(), (value, at) => {
    const bytes = Buffer.from(JSON.stringify(value));
    const middle = at % (bytes.length + 1);
    for (const limit of [0, 1, 2, 5, 20]) {
      const counter = createValueCounter(limit);
      const inParts = (): void => {
        counter.addBytes(bytes.subarray(0, middle));
        counter.addBytes(bytes.subarray(middle));
      };
      if (accepts(bytes.toString(), limit)) expect(inParts).not.toThrow();
      else expect(inParts).toThrow('request body too large');
    }
  });
  fc.assert(property);
});

test('several texts count together, and an unclosed string ends with its text', () => {
  const counter = createValueCounter(4);
  counter.addText('[1,"');
  counter.addText('[1');
  expect(() => counter.addText('[1,2')).toThrow(expect.objectContaining({ code: 'body_too_large' }));
});
