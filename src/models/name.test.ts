import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatModelName, type ModelName, parseModelName, sameModelName } from './name.ts';

describe('parseModelName', () => {
  test.each([
    ['ember', 'registry.ollama.ai', 'library', 'ember', 'latest'],
    ['ember:q8', 'registry.ollama.ai', 'library', 'ember', 'q8'],
    ['me/ember', 'registry.ollama.ai', 'me', 'ember', 'latest'],
    ['host.com/me/ember:1.0', 'host.com', 'me', 'ember', '1.0'],
    ['localhost:5000/me/ember', 'localhost:5000', 'me', 'ember', 'latest'],
    ['http://localhost:5000/me/ember:x', 'localhost:5000', 'me', 'ember', 'x'],
    ['hf.co/user/Repo-GGUF:Q4_K_M', 'hf.co', 'user', 'Repo-GGUF', 'Q4_K_M'],
    ['_a', 'registry.ollama.ai', 'library', '_a', 'latest'],
  ])('%s', (text, host, namespace, model, tag) => {
    expect(parseModelName(text)).toEqual({ host, namespace, model, tag });
  });

  test.each([
    '',
    ':x',
    'a:',
    'a/',
    '/a',
    'a//b',
    'a/b/c/d',
    '../a',
    'a/../b',
    '..',
    'a:..',
    'a b',
    'a\0',
    'a\\b',
    '-a',
    '.a',
    'my.space/a',
    'a@sha256:0',
    'é',
    'a'.repeat(81),
    `a:${'t'.repeat(81)}`,
    `${'h'.repeat(351)}/n/m`,
  ])('%j is rejected', (text) => {
    expect(() => parseModelName(text)).toThrow('invalid model name');
  });
});

const letters = 'ABCxyz019_'.split('');
const part = (others: string, maxLength: number) =>
  fc
    .tuple(
      fc.constantFrom(...letters),
      fc.array(fc.constantFrom(...letters, ...others.split('')), { maxLength: maxLength - 1 }),
    )
    .map(([first, rest]) => first + rest.join(''));
const anyName: fc.Arbitrary<ModelName> = fc.record({
  host: part('-.', 50),
  namespace: part('-', 80),
  model: part('-.', 80),
  tag: part('-.', 80),
});

test('a formatted name parses back to the same name', () => {
  fc.assert(
    fc.property(anyName, (name) => {
      expect(parseModelName(formatModelName(name))).toEqual(name);
    }),
  );
});

test('no parsed name can escape its folder', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      let name: ModelName;
      try {
        name = parseModelName(text);
      } catch {
        return;
      }
      for (const folder of Object.values(name)) expect(folder).toMatch(/^[A-Za-z0-9_][A-Za-z0-9_.:-]*$/);
    }),
  );
});

test('names that differ only in case are the same', () => {
  expect(sameModelName(parseModelName('LLaMA3:Latest'), parseModelName('llama3'))).toBe(true);
  expect(sameModelName(parseModelName('llama3'), parseModelName('llama2'))).toBe(false);
});
