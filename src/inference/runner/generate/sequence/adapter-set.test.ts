import { expect, test } from 'vitest';
import { toAdapterSet } from './adapter-set.ts';

test('all adapters by default; the same as choosing all of them', () => {
  expect(toAdapterSet(undefined, 2)).toEqual({ key: '', scales: [1, 1] });
  expect(toAdapterSet(['1', '0'], 2)).toEqual({ key: '', scales: [1, 1] });
});

test('a model without adapters has one set', () => {
  expect(toAdapterSet(undefined, 0)).toEqual(toAdapterSet([], 0));
});

test('each adapter and each scale makes another set', () => {
  const keys = [[], ['0'], ['1'], ['0=0.5'], ['0=0.5', '1']].map((chosen) => toAdapterSet(chosen, 2).key);
  expect(new Set(keys).size).toBe(keys.length);
  expect(toAdapterSet(['1=0.5', '0=0.25'], 2)).toEqual(toAdapterSet(['0=0.25', '1=0.5'], 2));
});

test.each([
  [['2'], 2, 'adapter 2 does not exist: the model has 2, from 0 to 1'],
  [['1=0.5'], 1, 'adapter 1=0.5 does not exist: the model has one, 0'],
  [['0'], 0, 'adapter 0 does not exist: the model has no adapters'],
])('%j of %d is rejected', (chosen, count, message) => {
  expect(() => toAdapterSet(chosen, count)).toThrow(expect.objectContaining({ code: 'bad_request', message }));
});
