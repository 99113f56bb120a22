import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createJsonElements } from './json-elements.ts';

/** Splits a text that arrives in pieces of this many bytes. */
function split(text: string, size = 7, maxBytes = 1000): unknown[] {
  const elements = createJsonElements(maxBytes);
  const bytes = Buffer.from(text);
  const found: unknown[] = [];
  for (let start = 0; start < bytes.length; start += size)
    for (const element of elements.add(bytes.subarray(start, start + size)))
      found.push(element && JSON.parse(element.toString()));
  elements.end();
  return found;
}

test('the objects of a list are found, however the text is formatted and cut', () => {
  const objects = fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 5 });
  fc.assert(
    fc.property(objects, fc.integer({ min: 1, max: 50 }), fc.constantFrom(0, 2), (list, size, indent) => {
      const expected = JSON.parse(JSON.stringify(list));
      expect(split(JSON.stringify(list, null, indent), size, 100_000)).toEqual(expected);
      const inside = { version: 1, note: '[{"a":1}]', chats: list };
      expect(split(JSON.stringify(inside, null, indent), size, 100_000)).toEqual(expected);
    }),
  );
});

test('text after the value, and values that are no objects, are ignored', () => {
  expect(split('{"chats":[1,"{",[{"a":1}],{"b":{"c":[{}]}}]} [{"d":1}]')).toEqual([{ b: { c: [{}] } }]);
  expect(split('{"chats":{"a":{"b":1}}}')).toEqual([]);
});

test.each(['', '   ', '[', '{"chats":[{"a":1}', '{"chats":["', '"text"', '1', ']'])('%j is not complete', (text) => {
  expect(() => split(text)).toThrow('not a complete JSON object or list');
});

test('an object that is too large is not kept, and the others are found', () => {
  const large = `{"a":"${'x'.repeat(200)}"}`;
  expect(split(`[{"b":1},${large},{"c":1}]`, 64, 100)).toEqual([{ b: 1 }, undefined, { c: 1 }]);
  expect(split(`[${large}]`, 1000, 100)).toEqual([undefined]);
  expect(split(`[${Array.from({ length: 100 }, () => '{"a":"0123456789"}').join()}]`, 64, 100)).toHaveLength(100);
});

test('the buffered bytes are those of an object that has not ended', () => {
  const elements = createJsonElements(100);
  const bufferedAfter = (text: string): number => {
    elements.add(Buffer.from(text));
    return elements.bufferedBytes();
  };
  expect(bufferedAfter('[  {"a":')).toBe(5);
  expect(bufferedAfter('"xyz"')).toBe(10);
  expect(bufferedAfter('}, ')).toBe(0);
  expect(bufferedAfter(`{"a":"${'x'.repeat(200)}`)).toBe(0);
});
