import { expect, test } from 'vitest';
import { toResult, toToolList } from './read-tools.ts';

test('a tool without a name or with one that is too long is left out, and so is a second one with the name', () => {
  const { tools, leftOut } = toToolList([
    {},
    { name: 'a' },
    { name: 'a', description: 'b' },
    { name: 'x'.repeat(200) },
    1,
  ]);
  expect(tools).toEqual([{ name: 'a', description: '', parameters: {}, isReadOnly: undefined }]);
  expect(leftOut).toBe(4);
});

test('a result is text: other content is named', () => {
  const content = [
    { type: 'text', text: 'a' },
    { type: 'image', mimeType: 'image/png', data: 'AAAA' },
    { type: 'resource', resource: { uri: 'file:///b', text: 'b' } },
    { type: 'resource_link', name: 'c', uri: 'file:///c' },
    null,
  ];
  expect(toResult({ content })).toEqual({ text: 'a\n[image/png, 3 bytes]\nb\nc file:///c\n[content]', isError: false });
  expect(toResult({ content: [], structuredContent: { a: 1 } }).text).toBe('{"a":1}');
  expect(toResult(undefined)).toEqual({ text: '', isError: false });
});

test('a long result is cut between characters', () => {
  const { text } = toResult({ content: [{ type: 'text', text: `${'x'.repeat(65_535)}😀` }] });
  expect(text).toBe(`${'x'.repeat(65_535)}\n[2 more characters were left out]`);
});
