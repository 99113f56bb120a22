import { expect, test } from 'vitest';
import { modelAliases } from './model-aliases-kind.ts';

test('lists with and without weights', () => {
  expect(modelAliases.parse(' fast = qwen3:4b , gpu/qwen3:4b ; trial=a*9,b*1;')).toEqual(
    new Map([
      ['fast', [{ model: 'qwen3:4b' }, { model: 'gpu/qwen3:4b' }]],
      [
        'trial',
        [
          { model: 'a', weight: 9 },
          { model: 'b', weight: 1 },
        ],
      ],
    ]),
  );
  expect(modelAliases.parse('')).toEqual(new Map());
});

test.each([
  'fast',
  'fast=',
  '=a',
  'fast=a,',
  'fast=a*0',
  'fast=a*x',
  'fast=a*1,b',
  'fast=a=b',
  'a/b=c',
  'fast=a;fast=b',
  `fast=${'a,'.repeat(17)}a`,
  Array.from({ length: 101 }, (_, index) => `a${index}=b`).join(';'),
  'x'.repeat(100_000),
])('%.40j is refused', (text) => {
  expect(modelAliases.parse(text)).toBeUndefined();
});
