import { expect, test } from 'vitest';
import { kvCacheTypeNames } from '../../../models/kv-cache-types.ts';
import { type OptionValues, resolveOptions } from '../../../models/options.ts';
import {
  automaticMemoryBudget,
  contextBytes,
  fixedBytes,
  type MemorySettings,
  measuredDevices,
  measuredMemory,
  type SizedRequest,
} from './estimate-memory.ts';

const mebibyte = 2 ** 20;
const gibibyte = 2 ** 30;
const overhead = 146 * mebibyte;
// Ember's, with a longer context.
const shape = {
  keysPerToken: 12 * 256,
  valuesPerToken: 12 * 256,
  keyLength: 64,
  valueLength: 64,
  heads: 8,
  trainedContext: 131_072,
  embedsOnly: false,
};

const request = (options: OptionValues = {}, extra: Partial<SizedRequest> = { shape }): SizedRequest => ({
  source: { kind: 'local', key: '', weightsPath: '', adapterPaths: [], fileBytes: 4 * gibibyte },
  options: resolveOptions(options).load,
  ...extra,
});
const fixed = (settings: Partial<MemorySettings> = {}, options: OptionValues = {}, length = 4096) =>
  fixedBytes(request(options), { flashAttention: 'auto', ...settings }, length);

// What llama.cpp reported for four contexts of 32,768 tokens.
test.each([
  ['f16', 'f16', 1536],
  ['q8_0', 'q8_0', 816],
  ['iq4_nl', 'q5_0', 480],
  ['q5_1', 'q4_1', 528],
] as const)('a KV cache of %s and %s has the size that llama.cpp reports', (keys, values, megabytes) => {
  expect(4 * contextBytes(request(), { keys, values }, 32_768)).toBe(megabytes * mebibyte);
});

test('every type has a size, and keys and values count apart', () => {
  const wide = { ...shape, keysPerToken: 32, valuesPerToken: 96 };
  for (const type of kvCacheTypeNames) {
    const sizeOf = (keys: typeof type, values: typeof type) =>
      contextBytes(request({}, { shape: wide }), { keys, values }, 256);
    const keyBytes = sizeOf(type, 'f16') - 256 * 96 * 2;
    const valueBytes = sizeOf('f16', type) - 256 * 32 * 2;
    expect(valueBytes).toBe(3 * keyBytes);
  }
});

test('a length is rounded up as llama.cpp does', () => {
  const sizeOf = (length: number) => contextBytes(request(), { keys: 'f16', values: 'f16' }, length);
  expect(sizeOf(1)).toBe(sizeOf(256));
  expect(sizeOf(257)).toBe(sizeOf(512));
});

test.each([2 ** 15, 2 ** 31 - 1])('without a shape, a context of %d is estimated from the weights', (length) => {
  expect(contextBytes(request({}, {}), { keys: 'f16', values: 'f16' }, length)).toBe(4 * gibibyte);
});

// llama.cpp reported 96 MiB more for 131,072 tokens than for 32,768 with flash attention, and 1728 MiB more without.
test('the compute buffers grow with the context, and without flash attention with the heads', () => {
  const growth = (settings: Partial<MemorySettings>) => fixed(settings, {}, 131_072) - fixed(settings, {}, 32_768);
  expect(growth({})).toBe(96 * mebibyte);
  expect(growth({ flashAttention: false })).toBe(1728 * mebibyte);
  expect(fixed({}, { numBatch: 1024 }, 32_768) - fixed({}, {}, 32_768)).toBe(32 * mebibyte);
});

test('the files are included', () => {
  expect(fixed({}, { numBatch: 1 })).toBe(4 * gibibyte + overhead + 8192);
});

test('measured memory excludes the part on a GPU', () => {
  expect(measuredMemory({ totalBytes: 500, deviceBytes: 200 })).toBe(300 + 64 * mebibyte);
  const devices = [{ name: 'CUDA0', bytes: 200, isUnified: false }];
  expect(measuredMemory({ totalBytes: 500, deviceBytes: 200, devices })).toBe(300 + 64 * mebibyte);
  expect(measuredDevices({ totalBytes: 500, deviceBytes: 200, devices })).toEqual(new Map([['CUDA0', 200]]));
});

test('unified memory is main memory', () => {
  const memory = { totalBytes: 500, deviceBytes: 200, devices: [{ name: 'MTL0', bytes: 200, isUnified: true }] };
  expect(measuredMemory(memory)).toBe(500 + 64 * mebibyte);
  expect(measuredDevices(memory)).toEqual(new Map());
});

test('the automatic budget is a safe integer of at least 256 MiB', () => {
  expect(automaticMemoryBudget()).toBeGreaterThan(2 ** 28);
  expect(Number.isSafeInteger(automaticMemoryBudget())).toBe(true);
});

test('a draft model adds its weights and a context for one request', () => {
  const settings = { build: 'auto', flashAttention: 'auto' } as const;
  const draft = { weightsPath: '', fileBytes: gibibyte, shape };
  const added = fixedBytes(request({}, { shape, draft }), settings, 32_768) - fixedBytes(request(), settings, 32_768);
  expect(added).toBe(gibibyte + contextBytes(request(), { keys: 'f16', values: 'f16' }, 32_768));
});
