import { expect, test } from 'vitest';
import { type OptionValues, resolveOptions } from '../../../models/options.ts';
import type { PlannedRequest } from '../local-request.ts';
import type { ModelShape } from '../ports.ts';
import { type ContextSettings, planContext } from './plan-context.ts';

const gibibyte = 2 ** 30;
const settings: ContextSettings = {
  contextLength: 0,
  numParallel: 0,
  flashAttention: 'auto',
  cacheTypes: { keys: 'f16', values: 'f16' },
  memoryBudget: 14.4 * gibibyte,
};

/** 128 KiB per token in f16: 32,768 tokens take 4 GiB. */
const large: ModelShape = {
  keysPerToken: 32_768,
  valuesPerToken: 32_768,
  keyLength: 128,
  valueLength: 128,
  heads: 32,
  trainedContext: 131_072,
  embedsOnly: false,
};
/** 12 KiB per token. */
const small: ModelShape = { ...large, keysPerToken: 3072, valuesPerToken: 3072, trainedContext: 32_768 };

function plan(shape: ModelShape | undefined, changes: Partial<ContextSettings> = {}, options: OptionValues = {}) {
  const request: PlannedRequest = {
    source: { kind: 'local', key: '', weightsPath: '', adapterPaths: [], fileBytes: 4 * gibibyte },
    options: resolveOptions(options).load,
    ...(shape ? { shape } : {}),
  };
  return planContext(request, { ...settings, ...changes });
}

test.each([
  ['a large model on 16 GB', large, {}, { length: 16_384, parallel: 1, source: 'memory' }],
  ['on 32 GB', large, { memoryBudget: 29 * gibibyte }, { length: 32_768, parallel: 1 }],
  ['on 64 GB', large, { memoryBudget: 58 * gibibyte }, { length: 32_768, parallel: 2 }],
  ['on 256 GB', large, { memoryBudget: 230 * gibibyte }, { length: 65_536, parallel: 4 }],
  ['on 512 GB', large, { memoryBudget: 460 * gibibyte }, { length: 131_072, parallel: 4, source: 'trained' }],
  ['a smaller type', large, { cacheTypes: { keys: 'q8_0', values: 'q8_0' } }, { length: 32_768, parallel: 1 }],
  ['given parallelism', large, { numParallel: 3 }, { length: 8192, parallel: 3 }],
  ['a small model', small, {}, { length: 32_768, parallel: 4, source: 'trained' }],
  ['a very small one', { ...small, trainedContext: 4096 }, {}, { length: 4096, parallel: 8, source: 'trained' }],
  ['a model that was trained with little', { ...small, trainedContext: 2048 }, {}, { length: 2048, source: 'trained' }],
  ['a trained length between two steps', { ...small, trainedContext: 40_960 }, {}, { length: 40_960, parallel: 4 }],
  ['an embedding model', { ...small, trainedContext: 65_536, embedsOnly: true }, {}, { length: 65_536, parallel: 1 }],
  ['an unknown shape', undefined, {}, { length: 16_384, parallel: 1, source: 'memory' }],
  ['too little memory for any length', large, { memoryBudget: gibibyte }, { length: 4096, parallel: 1 }],
] satisfies [string, ModelShape | undefined, Partial<ContextSettings>, object][])(
  'by memory: %s',
  (_, shape, changes, expected) => {
    expect(plan(shape, changes)).toMatchObject(expected);
  },
);

test('weights that fill the budget leave less room for contexts', () => {
  expect(plan(large, { memoryBudget: 6 * gibibyte })).toMatchObject({ length: 8192, parallel: 1 });
});

test('shorter lengths follow, for a GPU with less memory', () => {
  expect(plan(large).lengths).toEqual([16_384, 8192, 4096]);
  expect(plan({ ...small, trainedContext: 10_000 }).lengths).toEqual([10_000, 8192, 4096]);
});

test.each([
  ['num_ctx', {}, { numCtx: 1000 }, { length: 1000, source: 'request' }],
  ['num_ctx over the setting', { contextLength: 500 }, { numCtx: 1000 }, { length: 1000, source: 'request' }],
  ['the setting', { contextLength: 500 }, {}, { length: 500, source: 'setting' }],
  ['at most the trained length', {}, { numCtx: 999_999 }, { length: 131_072, source: 'trained' }],
] satisfies [string, Partial<ContextSettings>, OptionValues, object][])(
  'given: %s',
  (_, changes, options, expected) => {
    expect(plan(large, changes, options)).toMatchObject({ ...expected, lengths: [expected.length] });
  },
);

test('the model is named as the source of its own num_ctx', () => {
  const source = { kind: 'local' as const, key: '', weightsPath: '', adapterPaths: [], fileBytes: 0 };
  const options = resolveOptions({ numCtx: 100 }).load;
  expect(planContext({ source, options, contextSource: 'model' }, settings).source).toBe('model');
});

test('a given length keeps automatic parallelism: 8 if small, otherwise as many as fit', () => {
  expect(plan(small, {}, { numCtx: 4096 }).parallel).toBe(8);
  expect(plan(large, {}, { numCtx: 4096 }).parallel).toBe(4);
  expect(plan(large, {}, { numCtx: 8192 }).parallel).toBe(2);
});

test('a longer plan that fits is never passed over', () => {
  for (let budget = gibibyte; budget < 600 * gibibyte; budget *= 1.3) {
    const { length, parallel, bytes } = plan(large, { memoryBudget: budget });
    if (length > 4096) expect(bytes).toBeLessThanOrEqual(budget);
    const more = plan(large, { memoryBudget: budget * 1.3 });
    expect(more.length).toBeGreaterThanOrEqual(length);
    if (more.length === length) expect(more.parallel).toBeGreaterThanOrEqual(parallel);
  }
});

const withLayers: ModelShape = {
  ...large,
  weights: {
    layers: new Array(32).fill({ bytes: gibibyte / 8, cacheShare: 1 / 32 }),
    output: gibibyte / 4,
    input: gibibyte / 4,
    vocabulary: 128_256,
    width: 14_336,
  },
};
const gpus = (...sizes: readonly number[]) =>
  sizes.map((size, index) => ({ name: `CUDA${index}`, bytes: size * gibibyte }));

test.each([
  ['too small for the model: as without it', [4], {}, { length: 16_384, parallel: 1 }],
  ['8 GB', [7.5], {}, { length: 8192, parallel: 1 }],
  ['24 GB', [23.5], {}, { length: 32_768, parallel: 1 }],
  ['two with 24 GB', [23.5, 23.5], {}, { length: 32_768, parallel: 2 }],
  ['only one of two', [23.5, 23.5], { splitMode: 'none' }, { length: 32_768, parallel: 1 }],
  ['141 GB', [140], {}, { length: 32_768, parallel: 17 }],
  ['141 GB, a short context', [140], { numCtx: 8192 }, { length: 8192, parallel: 70 }],
  ['141 GB, short contexts', [140], { numCtx: 1024 }, { length: 1024, parallel: 256 }],
  ['the KV cache in main memory', [140], { lowVram: true }, { length: 16_384, parallel: 1 }],
  ['some layers in main memory', [140], { numGpu: 10 }, { length: 16_384, parallel: 1 }],
  ['no layers', [140], { numGpu: 0 }, { length: 16_384, parallel: 1 }],
  ['all layers by number', [140], { numGpu: 99 }, { length: 32_768, parallel: 17 }],
] satisfies [string, number[], OptionValues, object][])('by the memory of GPUs: %s', (_, sizes, options, expected) => {
  expect(plan(withLayers, { gpus: gpus(...sizes) }, options)).toMatchObject(expected);
});

test('without GPUs, nothing depends on the layers', () => {
  expect(plan(withLayers, { gpus: [] })).toEqual(plan(large));
});
