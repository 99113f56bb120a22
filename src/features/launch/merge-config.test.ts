import { describe, expect, test } from 'vitest';
import { mergeConfigText } from './merge-config.ts';

const values = { model: 'ember', env: { A: '1', B: '2' } };

describe.each([
  { format: 'json', empty: '{}', other: '{"theme": "dark", "env": {"A": "0", "C": "3"}}' },
  { format: 'toml', empty: '', other: 'theme = "dark"\n[env]\nA = "0"\nC = "3"\n' },
  { format: 'yaml', empty: '# nothing\n', other: 'theme: dark\nenv:\n  A: "0"\n  C: "3"\n' },
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

describe('lists', () => {
  const merged = (text: string, entry: object): unknown =>
    JSON.parse(mergeConfigText(text, 'json', { models: [{ ...entry }] }) as string).models;

  test('an entry replaces the one with the same id, where it is; a new one is the first', () => {
    const text = '{"models": [{"id": "a"}, {"id": "b", "old": 1}, "other"]}';
    expect(merged(text, { id: 'b', size: 2 })).toEqual([{ id: 'a' }, { id: 'b', size: 2 }, 'other']);
    expect(merged(text, { id: 'c' })).toEqual([{ id: 'c' }, { id: 'a' }, { id: 'b', old: 1 }, 'other']);
  });

  test('an entry without an id is told apart by its name', () => {
    expect(merged('{"models": [{"name": "a", "id": "x"}]}', { name: 'a' })).toEqual([{ name: 'a' }]);
  });

  test('a list of plain values is replaced, and so is what is not a list', () => {
    expect(JSON.parse(mergeConfigText('{"input": ["text", "image"]}', 'json', { input: ['text'] }) as string)).toEqual({
      input: ['text'],
    });
    expect(merged('{"models": {"a": 1}}', { id: 'b' })).toEqual([{ id: 'b' }]);
  });

  test('a file can be a list', () => {
    const values = [{ name: 'Hearth', url: 'u' }];
    expect(JSON.parse(mergeConfigText('', 'json', values) as string)).toEqual(values);
    expect(JSON.parse(mergeConfigText('[{"name": "x"}]', 'json', values) as string)).toEqual([
      ...values,
      { name: 'x' },
    ]);
    expect(() => mergeConfigText('{}', 'json', values)).toThrow('it does not contain a list');
  });
});

test('a value that is undefined leaves what is there', () => {
  expect(mergeConfigText('{"a": 1}', 'json', { a: undefined })).toBe(undefined);
});

test('a default is added only where the file has no value', () => {
  const merge = (text: string) => JSON.parse(mergeConfigText(text, 'json', { a: { b: 1 } }, { a: { c: 2 } }) as string);
  expect(merge('')).toEqual({ a: { b: 1, c: 2 } });
  expect(merge('{"a": {"c": 3}, "d": 4}')).toEqual({ a: { b: 1, c: 3 }, d: 4 });
  expect(merge('{"a": "text"}')).toEqual({ a: { b: 1 } });
});

describe('YAML', () => {
  const text = '# mine\nmodel:\n  # the model\n  default: x # today\n\nproviders:\n  # local\n  a: {url: u}\n';

  test('comments stay, and only what differs is changed', () => {
    expect(
      mergeConfigText(text, 'yaml', { model: { default: 'y' }, providers: { b: { models: [{ id: 'm' }] } } }),
    ).toBe(
      '# mine\nmodel:\n  # the model\n  default: y # today\n\nproviders:\n  # local\n  a: { url: u }\n  b:\n    models:\n      - id: m\n',
    );
  });

  test('an empty value and one of another kind are replaced', () => {
    expect(mergeConfigText('providers:\nmodel: x\n', 'yaml', { providers: { a: 1 }, model: { b: 2 } })).toBe(
      'providers:\n  a: 1\nmodel:\n  b: 2\n',
    );
  });

  test.each(['a: [', '- a', 'text', 'a: 1\na: 2'])('%j is not changed', (bad) => {
    expect(() => mergeConfigText(bad, 'yaml', { b: 1 })).toThrow();
  });

  test('a file that grows when it is read is refused', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let i = 1; i < 9; i++) lines.push(`a${i}: &a${i} [${new Array(10).fill(`*a${i - 1}`).join(', ')}]`);
    expect(() => mergeConfigText(lines.join('\n'), 'yaml', { b: 1 })).toThrow('alias');
  });
});
