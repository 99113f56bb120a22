import { expect, test } from 'vitest';
import type { LoadOptions } from '../../models/options.ts';
import {
  automaticMemoryBudget,
  createMemoryEstimate,
  type EstimateSettings,
  measuredMemory,
} from './estimate-memory.ts';
import type { AcquireRequest } from './ports.ts';

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
  extra: Partial<AcquireRequest> = { shape },
): Promise<number> {
  const files = { key: '', weightsPath: 'weights', adapterPaths: [] };
  const request = { name: '', files, options: options as LoadOptions, ...extra };
  return createMemoryEstimate({ ...settings, ...changes }, sizeOf)(request);
}

test.each([
  ['the default context', {}, {}, 4096 * perToken],
  ['a chosen one', {}, { numCtx: 100 }, 100 * perToken],
  ['never more than it was trained with', {}, { numCtx: 2 ** 31 - 1 }, 8192 * perToken],
  ['each request has its own', { numParallel: 3 }, { numCtx: 100 }, 300 * perToken],
  ['as many as the runner takes by itself', { numParallel: 0 }, { numCtx: 100 }, 800 * perToken],
  [
    'or four, where eight are not small',
    { numParallel: 0, cacheBudget: 8 * gibibyte },
    { numCtx: 4096 },
    4 * 4096 * perToken,
  ],
  ['or as many as have room', { numParallel: 0, cacheBudget: 3 * gibibyte }, { numCtx: 8192 }, 2 * 8192 * perToken],
  ['in smaller numbers', { kvCacheType: 'q8_0' as const }, { numCtx: 32 }, 32 * 65_536 * (34 / 32)],
])('contexts: %s', async (_, changes, options, expected) => {
  expect(await estimate(changes, options)).toBe(4 * gibibyte + expected + overhead);
});

test('adapters and the projector count', async () => {
  const files = { key: '', weightsPath: 'weights', adapterPaths: ['adapter'], projectorPath: 'projector' };
  expect((await estimate({}, {}, { shape, files })) - (await estimate({}, {}))).toBe(1100);
});

test('without its shape it is a guess, however long a context is asked for', async () => {
  const guess = await estimate({}, { numCtx: 2 ** 31 - 1 }, {});
  expect(guess).toBe(4 * gibibyte + 4 * gibibyte + overhead);
});

test('a build for a GPU takes little of main memory, unless it is told to', async () => {
  expect(await estimate({ build: 'cuda' }, { numGpu: -1 })).toBe(overhead);
  expect(await estimate({ build: 'cuda' }, { numGpu: 0 })).toBeGreaterThan(4 * gibibyte);
});

test('what the runner reports counts without the part on a GPU', () => {
  expect(measuredMemory({ totalBytes: 500, deviceBytes: 200 })).toBe(300 + 64 * mebibyte);
});

test('a file that is not there takes nothing', async () => {
  const files = { key: '', weightsPath: '/no/such/file', adapterPaths: [] };
  expect(await createMemoryEstimate(settings)({ name: '', files, options: {} as LoadOptions })).toBe(overhead);
});

test('by itself the budget is most of the memory that there is', () => {
  expect(automaticMemoryBudget()).toBeGreaterThan(2 ** 28);
  expect(Number.isSafeInteger(automaticMemoryBudget())).toBe(true);
});
