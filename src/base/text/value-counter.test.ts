import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createValueCounter, maxObjectNames } from './value-counter.ts';

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

describe('the names of one object', () => {
  const object = (count: number, value: string): string =>
    `{${Array.from({ length: count }, (_, index) => `"${index}":${value}`).join(',')}}`;

  test.each(['1', '{}', '{"a":{"b":[]}}', '[{"a":1}]'])('with the values %s', (value) => {
    expect(accepts(object(maxObjectNames, value), Number.POSITIVE_INFINITY)).toBe(true);
    expect(accepts(object(maxObjectNames + 1, value), Number.POSITIVE_INFINITY)).toBe(false);
  });

  test('of two objects do not count together', () => {
    const half = object(maxObjectNames, '1');
    expect(accepts(`[${half},${half}]`, Number.POSITIVE_INFINITY)).toBe(true);
  });
});
