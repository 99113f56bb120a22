import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FieldBound, JsonScanner, maxJsonDepth, maxObjectNames } from './json-scanner.ts';

const accepts = (text: string, maxValues: number): boolean => {
  try {
    new JsonScanner({ maxValues }).addText(text);
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
    if (count > 0) expect(accepts(text, count - 1)).toBe(false);
  });
});

test('the parts of a text count as the whole', () => {
  const property = fc.property(fc.jsonValue(), fc.nat(), (value, at) => {
    const bytes = Buffer.from(JSON.stringify(value));
    const middle = at % (bytes.length + 1);
    for (const limit of [0, 1, 2, 5, 20]) {
      const counter = new JsonScanner({ maxValues: limit });
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
  const counter = new JsonScanner({ maxValues: 4 });
  counter.addText('[1,"');
  counter.addText('[1');
  expect(() => counter.addText('[1,2')).toThrow(expect.objectContaining({ code: 'body_too_large' }));
});

test('names, strings, objects and arrays have a limit of their own, numbers do not', () => {
  const list = (value: string, count: number): string => `[${`${value},`.repeat(count - 1)}${value}]`;
  const scan = (text: string): void => new JsonScanner().addText(text);
  expect(() => scan(list('1', 400_000))).not.toThrow();
  expect(() => scan(list('"a"', 99_999))).not.toThrow();
  for (const text of [list('"a"', 100_000), list('{}', 100_000), list('{"a":"b"}', 34_000)])
    expect(() => scan(text)).toThrow('more than 100000 names, strings, objects and arrays');
});

test('the rest of a text above a limit is not read', () => {
  const scanner = new JsonScanner({ maxValues: 2 });
  // The number after it would be another error.
  expect(() => scanner.addText(`[1,2,3,${'1'.repeat(5000)}`)).toThrow('more than 2 names and values');
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

describe('fields', () => {
  const bounds: Readonly<Record<string, FieldBound>> = {
    short: { maxBytes: 4, maxItems: 2 },
    long: { maxBytes: 20, isFree: true },
  };
  const scan = (text: string, parts = 1): void => {
    const scanner = new JsonScanner({ boundOf: (name) => bounds[name] ?? { maxBytes: 8 } });
    const bytes = Buffer.from(text);
    const size = Math.ceil(bytes.length / parts);
    for (let start = 0; start < bytes.length; start += size) scanner.addBytes(bytes.subarray(start, start + size));
  };

  test.each([
    '{"short":"1234"}',
    '{"SHORT":"1234","other":"12345678"}',
    '{"short":["1234","1234"]}',
    '{"long":"12345678901234567890"}',
    '{"long":{"short":"12345678901234567890","a":[["x","y","z","12345678901234567890"]]}}',
    '{"a":[{"short":"1234"},{"short":"1234"}],"b":{"short":"1"}}',
    '{"short":"\\\\"","other":"\\""}',
    '{"a":{"long":{"b":"1234567890"}},"other":"12345678"}',
  ])('accepts %s', (text) => {
    for (let parts = 1; parts <= text.length; parts++) expect(() => scan(text, parts)).not.toThrow();
  });

  test.each([
    ['{"short":"12345"}', 'short has more than 4 bytes'],
    ['{"Short":"12345"}', 'Short has more than 4 bytes'],
    ['{"other":"123456789"}', 'other has more than 8 bytes'],
    ['{"short":["1","12345"]}', 'short has more than 4 bytes'],
    ['{"short":["1","2",{}]}', 'short has more than 2 elements'],
    ['{"short":["1",[],"3"]}', 'short has more than 2 elements'],
    ['{"long":"123456789012345678901"}', 'long has more than 20 bytes'],
    ['{"long":[{"short":"12345"}]}', 'short has more than 4 bytes'],
    ['{"long":{"a":1},"short":"12345"}', 'short has more than 4 bytes'],
    ['{"long":{"a":"123456789012345678901"}}', 'a has more than 20 bytes'],
    ['{"short":"\\"12345"}', 'short has more than 4 bytes'],
    ['{"\\n":"123456789"}', 'a string has more than 8 bytes'],
    ['"123456789"', 'a string has more than 8 bytes'],
  ])('refuses %s', (text, message) => {
    for (let parts = 1; parts <= text.length; parts++)
      expect(() => scan(text, parts)).toThrow(expect.objectContaining({ code: 'bad_request', message }));
  });
});

test('nesting is limited', () => {
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  expect(() => new JsonScanner().addText(nested(maxJsonDepth))).not.toThrow();
  expect(() => new JsonScanner().addText(nested(maxJsonDepth + 1))).toThrow(`more than ${maxJsonDepth} levels`);
});

test.each(['1'.repeat(5000), `{"${'n'.repeat(5000)}":1}`])('long numbers and names are refused', (text) => {
  expect(() => new JsonScanner().addText(text)).toThrow('request body too large: a n');
});
