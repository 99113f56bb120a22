import { expect, test } from 'vitest';
import { parseModelName } from '../../models/name.ts';
import { parsePackageReference } from '../../models/package-reference.ts';
import { catalogue, searchCatalogue } from './catalogue.ts';
import { catalogueDate } from './catalogue-data.ts';

const known = ['completion', 'embedding', 'tools', 'thinking', 'vision', 'insert'];

test('the list has about eighty families or more, and a date that is not in the future', () => {
  expect(catalogue.length).toBeGreaterThanOrEqual(80);
  expect(catalogueDate).toMatch(/^20\d\d-\d\d-\d\d$/);
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

/** The licenses of the list without what they say about single sizes. A new one is added here, so that a typing error is found. */
const licenses = new Set([
  ...['Apache-2.0', 'MIT', 'CC-BY-NC-4.0', 'BigCode OpenRAIL-M', 'DeepSeek', 'EXAONE (no commercial use)'],
  ...[
    'Falcon LLM',
    'GLM-4',
    'Gemma',
    'LFM Open 1.0',
    'Llama 2',
    'Llama 3',
    'Llama 3.1',
    'Llama 3.2',
    'Llama 3.3',
    'Llama 4',
  ],
  ...['Mistral Non-Production', 'Mistral Research', 'NVIDIA', 'NVIDIA Open Model'],
]);

test.each(catalogue)('$name: its facts are possible', (family) => {
  const { name, title, license, contextLength = 0, capabilities, purpose } = family;
  expect(name).toMatch(/^((pypi|npm)\/)?[a-z0-9][a-z0-9.-]*$/);
  expect([
    licenses.has(license) || licenses.has(license.replace(/ \([^()]+: [^()]+\)$/, '')),
    title.length < 50,
  ]).toEqual([true, true]);
  expect([contextLength % 1, contextLength <= 2 ** 20]).toEqual([0, true]);
  expect(capabilities.includes('embedding')).toBe(!capabilities.includes('completion'));
  expect(new Set(capabilities).size).toBe(capabilities.length);
  expect(purpose).toMatch(/^[A-Z].{2,78}[^.]$/);
});

test('files have between a third of a byte and three bytes per weight, with a possible number of layers', () => {
  const odd = catalogue
    .flatMap(({ sizes }) => sizes)
    .filter(({ name, bytes, layers = 24 }) => {
      // A mixture of experts has at most the product; small parts of "e" sizes count, and their large tables do not.
      const [, kind = '', experts = '1', amount, unit] = /:(e|(\d+)x)?([\d.]+)([mb])\b/.exec(name) ?? [];
      const weights = Number(amount ?? Number.NaN) * (unit === 'm' ? 1e6 : 1e9);
      const most = 3 * weights * Number(experts) * (kind === 'e' ? 2 : 1);
      return bytes < weights / 3 || bytes > most || layers < 6 || layers > 128;
    });
  expect(odd).toEqual([]);
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
