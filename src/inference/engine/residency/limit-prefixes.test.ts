import { expect, test } from 'vitest';
import { limitPrefixes } from './residency-state.ts';

const gib = 2 ** 30;
const model = (gibibytes: number, changes = {}) => ({
  bytes: gibibytes * gib,
  loaded: true,
  stopping: false,
  ...changes,
});

test.each([
  ['one model with enough room', [model(1)], 0.5],
  ['the models leave less than a cache wants', [model(3.75)], 0.25],
  ['caches share what is left', [model(1.75), model(1.75)], 0.25],
  ['a model that is loading needs its room, and has no cache yet', [model(1.75), model(2, { loaded: false })], 0.25],
  ['a model that is leaving still has its memory', [model(1.75), model(2, { stopping: true })], 0.25],
  ['more is taken than the budget', [model(5)], 0],
])('%s', (_, models, expected) => {
  expect(limitPrefixes(models, 4 * gib, 0.5 * gib)).toBe(expected * gib);
});

test('a limit is a multiple of 16 MiB, so that small changes of the models are no messages', () => {
  const bytes = limitPrefixes([model(3.99)], 4 * gib, gib);
  expect([bytes < 0.01 * gib, bytes % (16 * 2 ** 20)]).toEqual([true, 0]);
});
