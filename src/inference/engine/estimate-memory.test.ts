import { expect, test } from 'vitest';
import type { LoadOptions } from '../../models/options.ts';
import {
  automaticMemoryBudget,
  createMemoryEstimate,
  type EstimateSettings,
  measuredMemory,
} from './estimate-memory.ts';
import type { LocalRequest } from './local-request.ts';

const mebibyte = 2 ** 20;
const gibibyte = 2 ** 30;
const overhead = 150 * mebibyte;
const sizes: Readonly<Record<string, number>> = { weights: 4 * gibibyte, adapter: 100, projector: 1000 };
const sizeOf = async (path: string): Promise<number> => sizes[path] ?? 0;

const settings: EstimateSettings = { build: 'auto', defaultContextLimit: 4096, numParallel: 1, kvCacheType: 'f16' };
const shape = { cacheValuesPerToken: 65_536, trainedContext: 8192 };
const perToken = 2 * 65_536;

function estimate(
  changes: Partial<EstimateSettings>,
  options: Partial<LoadOptions>,
  extra: Partial<LocalRequest> = { shape },
): Promise<number> {
  const source = { kind: 'local' as const, key: '', weightsPath: 'weights', adapterPaths: [] };
  const request = { name: '', source, options: options as LoadOptions, ...extra };
  return createMemoryEstimate({ ...settings, ...changes }, sizeOf)(request);
}

test.each([
  ['the default context', {}, {}, 4096 * perToken],
  ['a requested length', {}, { numCtx: 100 }, 100 * perToken],
  ['at most the trained context length', {}, { numCtx: 2 ** 31 - 1 }, 8192 * perToken],
  ['one per parallel request', { numParallel: 3 }, { numCtx: 100 }, 300 * perToken],
  ['automatic: 8 if they are small', { numParallel: 0 }, { numCtx: 100 }, 800 * perToken],
  ['automatic: otherwise 4', { numParallel: 0, cacheBudget: 8 * gibibyte }, { numCtx: 4096 }, 4 * 4096 * perToken],
  [
    'automatic: fewer than 4 if the budget requires it',
    { numParallel: 0, cacheBudget: 3 * gibibyte },
    { numCtx: 8192 },
    2 * 8192 * perToken,
  ],
  ['with a smaller KV cache type', { kvCacheType: 'q8_0' as const }, { numCtx: 32 }, 32 * 65_536 * (34 / 32)],
])('contexts: %s', async (_, changes, options, expected) => {
  expect(await estimate(changes, options)).toBe(4 * gibibyte + expected + overhead);
});

test('adapters and the projector are included', async () => {
  const source = {
    kind: 'local' as const,
    key: '',
    weightsPath: 'weights',
    adapterPaths: ['adapter'],
    projectorPath: 'projector',
  };
  expect((await estimate({}, {}, { shape, source })) - (await estimate({}, {}))).toBe(1100);
});

test('without a shape, the context is estimated from the weights, whatever its length', async () => {
  const guess = await estimate({}, { numCtx: 2 ** 31 - 1 }, {});
  expect(guess).toBe(4 * gibibyte + 4 * gibibyte + overhead);
});

test('a GPU build takes little main memory unless num_gpu is 0', async () => {
  expect(await estimate({ build: 'cuda' }, { numGpu: -1 })).toBe(overhead);
  expect(await estimate({ build: 'cuda' }, { numGpu: 0 })).toBeGreaterThan(4 * gibibyte);
});

test('measured memory excludes the part on a GPU', () => {
  expect(measuredMemory({ totalBytes: 500, deviceBytes: 200 })).toBe(300 + 64 * mebibyte);
});

test('a missing file counts as empty', async () => {
  const source = { kind: 'local' as const, key: '', weightsPath: '/no/such/file', adapterPaths: [] };
  expect(await createMemoryEstimate(settings)({ name: '', source, options: {} as LoadOptions })).toBe(overhead);
});

test('the automatic budget is a safe integer of at least 256 MiB', () => {
  expect(automaticMemoryBudget()).toBeGreaterThan(2 ** 28);
  expect(Number.isSafeInteger(automaticMemoryBudget())).toBe(true);
});
