import { expect, test } from 'vitest';
import { parseRequestedModel } from '../../../models/name.ts';
import { ModelAliases } from './model-aliases.ts';

const table = new Map([
  ['fast', [{ model: 'small' }, { model: 'gpu/small:4b' }, { model: 'large' }]],
  [
    'trial',
    [
      { model: 'small', weight: 3 },
      { model: 'large', weight: 1 },
    ],
  ],
]);
const textsOf = (aliases: ModelAliases, name: string): string[] | undefined =>
  aliases.modelsOf(parseRequestedModel(name))?.map(({ text }) => text);

test('an alias stands for its models in order, whatever its case; other names stand for themselves', () => {
  const aliases = new ModelAliases(table);
  for (const name of ['fast', 'FAST:latest'])
    expect(textsOf(aliases, name)).toEqual(['small', 'gpu/small:4b', 'large']);
  for (const name of ['small', 'fast:4b', 'x/fast']) expect(textsOf(aliases, name)).toBeUndefined();
  expect(aliases.firstOf(parseRequestedModel('fast')).text).toBe('small');
  expect(aliases.firstOf(parseRequestedModel('other')).text).toBe('other');
});

test('models that requests wait for come last', () => {
  const busy = new Set(['small:latest']);
  const aliases = new ModelAliases(table, { isBusy: (name) => busy.has(name) });
  expect(textsOf(aliases, 'fast')).toEqual(['gpu/small:4b', 'large', 'small']);
  for (const name of ['gpu/small:4b', 'large:latest']) busy.add(name);
  expect(textsOf(aliases, 'fast')).toEqual(['small', 'gpu/small:4b', 'large']);
});

test('weights decide which model comes first, and the others follow', () => {
  let drawn = 0;
  const aliases = new ModelAliases(table, { random: () => drawn });
  const firsts = Array.from({ length: 100 }, (_, index) => {
    drawn = index / 100;
    expect(textsOf(aliases, 'trial')?.toSorted()).toEqual(['large', 'small']);
    return textsOf(aliases, 'trial')?.[0];
  });
  expect(firsts.filter((first) => first === 'small')).toHaveLength(75);
});

test('a conversation stays with its model', () => {
  let session = '00000000aaaaaaaa';
  const aliases = new ModelAliases(table, { session: () => session });
  for (let request = 0; request < 20; request++) expect(textsOf(aliases, 'trial')?.[0]).toBe('small');
  session = 'ffffffffaaaaaaaa';
  for (let request = 0; request < 20; request++) expect(textsOf(aliases, 'trial')?.[0]).toBe('large');
});

test('a model has the aliases that stand for it', () => {
  const aliases = new ModelAliases(table);
  expect(aliases.aliasesOf('small:latest')).toEqual(['fast', 'trial']);
  expect(aliases.aliasesOf('other:latest')).toEqual([]);
});

test('what is not a name of a model is refused at the start', () => {
  expect(() => new ModelAliases(new Map([['fast', [{ model: 'a/../b' }]]]))).toThrow('is not a name of a model');
});
