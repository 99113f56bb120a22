import { expect, test } from 'vitest';
import { type OptionValues, resolveOptions } from '../../models/options.ts';
import { decideThreads } from '../protocol/decide-threads.ts';
import { toEffectiveOptions } from './effective-options.ts';

const effective = (options: OptionValues, circumstances = {}) =>
  toEffectiveOptions(resolveOptions(options).load, {
    defaultContextLimit: 4096,
    trainedContext: 2048,
    hasGpu: false,
    ...circumstances,
  });

test.each<OptionValues>([
  { numCtx: 2048 },
  { numCtx: 4096 },
  { numCtx: 100_000 },
  { numGpu: 0 },
  { numGpu: 99, mainGpu: 1, lowVram: true },
  { numThread: decideThreads(0) },
  { numBatch: 512, useMlock: false, numa: false, vocabOnly: false },
])('%j is the same as no options', (options) => {
  expect(effective(options)).toEqual(effective({}));
});

test.each<OptionValues>([{ numCtx: 1024 }, { numBatch: 64 }, { useMmap: false }, { useMlock: true }])(
  '%j is not',
  (options) => {
    expect(effective(options)).not.toEqual(effective({}));
  },
);

test.each([true, undefined])('with a GPU, or while that is unknown (%s), its options count', (hasGpu) => {
  expect(effective({ numGpu: 0 }, { hasGpu })).not.toEqual(effective({}, { hasGpu }));
});

test('without a trained length the requested one counts', () => {
  expect(effective({ numCtx: 100_000 }, { trainedContext: 0 }).numCtx).toBe(100_000);
  expect(effective({}, { trainedContext: 0 }).numCtx).toBe(4096);
});
