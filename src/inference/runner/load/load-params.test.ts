import { describe, expect, test } from 'vitest';
import { type OptionValues, resolveOptions } from '../../../models/options.ts';
import type { ContextParams, ModelParams } from '../llama/bindings/structs.ts';
import { decideContextLengths, type LoadPlan, toContextParams, toModelParams } from './load-params.ts';
import { toLoadSettings } from './load-settings.ts';

const base: Omit<LoadPlan, 'settings'> = {
  modelPath: 'm',
  adapterPaths: [],
  build: 'auto',
  contextLengths: [4096],
  parallel: 4,
  flashAttention: 'auto',
  cacheTypes: { keys: 'f16', values: 'f16' },
  prefixCacheBytes: 0,
};
const settings = (options: OptionValues) => toLoadSettings(resolveOptions(options).load);
const plan = (options: OptionValues, extra: Partial<LoadPlan> = {}): LoadPlan => ({
  ...base,
  ...extra,
  settings: settings(options),
});
const model = (options: OptionValues) => toModelParams({ load_mode: -1 } as ModelParams, settings(options));
const context = (options: OptionValues, extra: Partial<LoadPlan> = {}) =>
  toContextParams({} as ContextParams, plan(options, extra), { contextLength: 2048, parallel: 4, threads: 3 });

test.each([
  ['lfm2.shortconv.l_cache', false],
  ['qwen35.ssm.conv_kernel', false],
  ['rwkv7.wkv.head_size', false],
  ['llama.attention.head_count', true],
])('a model with %s: weights in buffers of their own: %s', (key, expected) => {
  const params = toModelParams({ use_extra_bufts: true } as ModelParams, settings({}), {
    metadata: new Map([[key, 3]]),
  });
  expect(params.use_extra_bufts).toBe(expected);
});

test('without shares, or for a single GPU, llama.cpp has no tensor_split', () => {
  expect(model({}).tensor_split).toBeUndefined();
  expect(model({ splitMode: 'none', tensorSplit: '3,1' }).tensor_split).toBeUndefined();
});

describe('options of the model', () => {
  test.each<[string, OptionValues, object]>([
    ['num_gpu', { numGpu: 12 }, { n_gpu_layers: 12 }],
    ['num_gpu: none', { numGpu: 0 }, { n_gpu_layers: 0 }],
    ['main_gpu: only that GPU', { mainGpu: 2 }, { main_gpu: 2, split_mode: 0 }],
    ['main_gpu: all GPUs by default', {}, { main_gpu: 0, split_mode: 1 }],
    ['main_gpu with a split mode', { mainGpu: 2, splitMode: 'layer' }, { main_gpu: 2, split_mode: 1 }],
    ['split_mode none', { splitMode: 'none' }, { main_gpu: 0, split_mode: 0 }],
    ['split_mode row', { splitMode: 'row' }, { split_mode: 2 }],
    ['tensor_split', { tensorSplit: '3,1' }, { tensor_split: Float32Array.of(3, 1, ...new Array(14).fill(0)) }],
    ['vocab_only', { vocabOnly: true }, { vocab_only: true }],
    ['use_mmap by default: llama.cpp decides', {}, { load_mode: -1 }],
    ['use_mmap', { useMmap: true }, { load_mode: 1 }],
    ['no use_mmap', { useMmap: false }, { load_mode: 0 }],
    ['use_mlock', { useMlock: true }, { load_mode: 3 }],
    ['use_mlock without use_mmap', { useMlock: true, useMmap: false }, { load_mode: 2 }],
  ])('%s', (_, given, expected) => {
    expect(model(given)).toMatchObject(expected);
  });
});

describe('options of the context', () => {
  test.each([
    ['num_ctx, for each parallel request', {}, { n_ctx: 8192, n_seq_max: 4, kv_unified: false }],
    ['num_batch, and a row for each sequence', { numBatch: 64 }, { n_batch: 68, n_ubatch: 64 }],
    ['the smallest num_batch', { numBatch: 1 }, { n_batch: 5, n_ubatch: 4 }],
    ['num_thread', {}, { n_threads: 3, n_threads_batch: 3 }],
    ['low_vram', { lowVram: true }, { offload_kqv: false }],
  ])('%s', (_, given, expected) => {
    expect(context(given)).toMatchObject(expected);
  });

  test.each([
    ['flash attention', { flashAttention: true }, { flash_attn_type: 1 }],
    ['no flash attention', { flashAttention: false }, { flash_attn_type: 0 }],
    ['types of keys and values', { cacheTypes: { keys: 'q8_0', values: 'iq4_nl' } }, { type_k: 8, type_v: 20 }],
  ] satisfies [string, Partial<LoadPlan>, Partial<ContextParams>][])('%s', (_, given, expected) => {
    expect(context({}, given)).toMatchObject(expected);
  });
});

test.each([
  ['as they are', [8192, 4096], 131072, [8192, 4096]],
  ['at most the trained one', [16_384, 8192, 2048], 4096, [4096, 2048]],
  ['as they are if the trained one is unknown', [100], 0, [100]],
])('the context lengths are %s', (_, contextLengths, trained, expected) => {
  expect(decideContextLengths({ contextLengths }, trained)).toEqual(expected);
});
