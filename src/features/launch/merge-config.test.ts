import { describe, expect, test } from 'vitest';
import { mergeConfigText } from './merge-config.ts';

const values = { model: 'ember', env: { A: '1', B: '2' } };

describe.each([
  { format: 'json', empty: '{}', other: '{"theme": "dark", "env": {"A": "0", "C": "3"}}' },
  { format: 'toml', empty: '', other: 'theme = "dark"\n[env]\nA = "0"\nC = "3"\n' },
] as const)('$format', ({ format, empty, other }) => {
  test('values are added; other values stay, in other tables too', () => {
    const merged = mergeConfigText(other, format, values) as string;
    expect(mergeConfigText(merged, format, { theme: 'dark', model: 'ember', env: { A: '1', B: '2', C: '3' } })).toBe(
      undefined,
    );
  });

  test('a second merge changes nothing', () => {
    for (const text of ['', empty, other]) {
      const merged = mergeConfigText(text, format, values) as string;
      expect(merged).toContain('ember');
      expect(mergeConfigText(merged, format, values)).toBe(undefined);
    }
  });
});

test('a value replaces a value of another kind', () => {
  expect(JSON.parse(mergeConfigText('{"env": "none", "model": {"name": "x"}}', 'json', values) as string)).toEqual(
    values,
  );
});

test('the indentation stays', () => {
  expect(mergeConfigText('{\n\t"theme": "dark"\n}\n', 'json', { model: 'ember' })).toBe(
    '{\n\t"theme": "dark",\n\t"model": "ember"\n}\n',
  );
});

test.each(['[]', '"text"', 'null', '{"a": 1 // comment\n}'])('%s is not changed', (text) => {
  expect(() => mergeConfigText(text, 'json', values)).toThrow();
});

test('a key named __proto__ stays a key', () => {
  expect(mergeConfigText('{"__proto__": {"a": 1}}', 'json', { b: 2 })).toBe(
    '{\n  "__proto__": {\n    "a": 1\n  },\n  "b": 2\n}\n',
  );
});
