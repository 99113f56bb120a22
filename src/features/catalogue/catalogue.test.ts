import { expect, test } from 'vitest';
import { parseModelName } from '../../models/name.ts';
import { parsePackageReference } from '../../models/package-reference.ts';
import { catalogue, searchCatalogue } from './catalogue.ts';
import { catalogueDate } from './catalogue-data.ts';

const known = ['completion', 'embedding', 'tools', 'thinking', 'vision', 'insert'];

test('the list has about eighty families or more, and a date that is not in the future', () => {
  expect(catalogue.length).toBeGreaterThanOrEqual(80);
  expect(Date.parse(catalogueDate)).toBeLessThan(Date.now());
});

test.each(catalogue)('$name: its columns are complete', (family) => {
  const { title, license, contextLength, capabilities, purpose } = family;
  expect([title, license, purpose].every((text) => text.trim() === text && text !== '')).toBe(true);
  expect(contextLength).toBeGreaterThanOrEqual(256);
  expect(capabilities.filter((capability) => !known.includes(capability))).toEqual([]);
});

test.each(catalogue)('$name: its sizes ascend, and each has a name that can be pulled', ({ name, sizes }) => {
  expect(sizes.length).toBeGreaterThan(0);
  for (const [index, size] of sizes.entries()) {
    expect(size.bytes).toBeGreaterThan(sizes[index - 1]?.bytes ?? 1e6);
    expect(size.layers ?? 1).toBeGreaterThan(0);
    if (name.startsWith('pypi/') || name.startsWith('npm/')) expect(parsePackageReference(size.name)).toBeDefined();
    else expect(parseModelName(size.name).model).toBe(name);
  }
});

test('no name is there twice', () => {
  const names = catalogue.flatMap(({ sizes }) => sizes.map(({ name }) => name));
  expect(new Set(names).size).toBe(names.length);
  expect(new Set(catalogue.map(({ name }) => name)).size).toBe(catalogue.length);
});

test('a search has all words in any case, and names first', () => {
  expect(searchCatalogue('')).toEqual(catalogue);
  const code = searchCatalogue('CODE 7b').map(({ name }) => name);
  expect(code).toContain('codellama');
  expect(code).toContain('qwen2.5-coder');
  expect(searchCatalogue('vision 2b').map(({ name }) => name)[0]).toBe('granite3.2-vision');
  expect(searchCatalogue('qwen3 embedding').map(({ name }) => name)[0]).toBe('qwen3-embedding');
  expect(searchCatalogue('no such model')).toEqual([]);
});
