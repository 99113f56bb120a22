import { expect, test } from 'vitest';
import { type OptionValues, resolveOptions } from '../../../models/options.ts';
import { decideThreads } from '../../protocol/decide-threads.ts';
import { toEffectiveOptions } from './effective-options.ts';

const effective = (options: OptionValues, circumstances = {}) =>
  toEffectiveOptions(resolveOptions(options).load, {
    plan: { length: 2048, cacheTypes: { keys: 'f16', values: 'f16' } },
    hasGpu: false,
    ...circumstances,
  });

test.each<OptionValues>([
  { numCtx: 2048 },
  { numCtx: 4096 },
  { numCtx: 100_000, kvCacheTypeK: 'f16', kvCacheTypeV: 'f16' },
  { numGpu: 0 },
  { numGpu: 99, mainGpu: 1, lowVram: true },
  { splitMode: 'row', tensorSplit: '3,1' },
  { numCpuMoe: 3, overrideTensor: 'exps=CPU' },
  { numThread: decideThreads(0) },
  { draftModel: 'another name of the same file' },
  { numBatch: 512, useMlock: false, numa: false, vocabOnly: false },
])('%j is the same as no options', (options) => {
  expect(effective(options)).toEqual(effective({}));
});

test.each<OptionValues>([{ numBatch: 64 }, { useMmap: false }, { useMlock: true }])('%j is not', (options) => {
  expect(effective(options)).not.toEqual(effective({}));
});

test.each([true, undefined])('with a GPU, or while that is unknown (%s), its options count', (hasGpu) => {
  expect(effective({ numGpu: 0 }, { hasGpu })).not.toEqual(effective({}, { hasGpu }));
});

test.each([
  { length: 1024, cacheTypes: { keys: 'f16', values: 'f16' } },
  { length: 2048, cacheTypes: { keys: 'q8_0', values: 'f16' } },
  { length: 2048, cacheTypes: { keys: 'f16', values: 'q8_0' } },
])('another context is another load: %j', (plan) => {
  expect(effective({}, { plan })).not.toEqual(effective({}));
});
