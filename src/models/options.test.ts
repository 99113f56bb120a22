import { describe, expect, test } from 'vitest';
import { type OptionKey, optionName, optionTable, parseOptions, resolveOptions } from './options.ts';

describe('parseOptions', () => {
  test('the table has every option of the API', () => {
    const names = (Object.keys(optionTable) as OptionKey[]).map(optionName).sort();
    expect(names).toEqual(
      [
        ...['num_keep', 'seed', 'num_predict', 'top_k', 'repeat_last_n', 'mirostat', 'num_ctx', 'num_batch'],
        ...['num_gpu', 'main_gpu', 'num_thread', 'top_p', 'min_p', 'tfs_z', 'typical_p', 'temperature'],
        ...['repeat_penalty', 'presence_penalty', 'frequency_penalty', 'mirostat_tau', 'mirostat_eta'],
        ...['penalize_newline', 'numa', 'low_vram', 'vocab_only', 'use_mmap', 'use_mlock', 'stop'],
        ...[
          'kv_cache_type_k',
          'kv_cache_type_v',
          'adapters',
          'speculate',
          'draft_model',
          'draft_num_predict',
          'prediction_head',
        ],
        ...[
          'num_cpu_moe',
          'override_tensor',
          'split_mode',
          'tensor_split',
          'ignore_eos',
          'min_tokens',
          'top_n_sigma',
          'dynatemp_range',
        ],
        ...['dynatemp_exponent', 'xtc_probability', 'xtc_threshold', 'dry_multiplier', 'dry_base'],
        ...['dry_allowed_length', 'dry_penalty_last_n', 'dry_sequence_breakers'],
      ].sort(),
    );
  });

  test('fractions of integers are truncated, null is skipped, unknown names are returned', () => {
    expect(parseOptions({ top_k: 40.7, seed: null, color: 'red', temperature: 1 })).toEqual({
      values: { topK: 40, temperature: 1 },
      unknown: ['color'],
    });
  });

  test('a single stop string becomes a list', () => {
    expect(parseOptions({ stop: 'x' }).values).toEqual({ stop: ['x'] });
  });

  test('adapters in each form, and none', () => {
    expect(parseOptions({ adapters: [0, '1=0.5', { id: 2, scale: -1 }] }).values).toEqual({
      adapters: ['0', '1=0.5', '2=-1'],
    });
    expect(parseOptions({ adapters: [] }).values).toEqual({ adapters: [] });
  });

  test.each([
    [{ num_ctx: '4096' }, 'option "num_ctx" must be of type integer'],
    [{ num_ctx: Number.POSITIVE_INFINITY }, 'option "num_ctx" must be of type integer'],
    [{ temperature: 'hot' }, 'option "temperature" must be of type float32'],
    [{ temperature: Number.NaN }, 'option "temperature" must be of type float32'],
    [{ use_mmap: 1 }, 'option "use_mmap" must be of type boolean'],
    [{ stop: 1 }, 'option "stop" must be of type array'],
    [{ stop: ['x', 1] }, 'option "stop" must be of an array of strings'],
    [{ kv_cache_type_k: 'q3_0' }, 'option "kv_cache_type_k" must be one of f16, bf16, f32, q8_0'],
    [{ kv_cache_type_v: 8 }, 'option "kv_cache_type_v" must be one of f16, bf16, f32, q8_0'],
    [{ dry_sequence_breakers: ['x'.repeat(41)] }, 'option "dry_sequence_breakers" may have at most 32 texts'],
    [{ dry_sequence_breakers: Array.from({ length: 33 }, () => 'x') }, 'may have at most 32 texts of at most 40'],
    [{ adapters: ['ahoy'] }, 'option "adapters" must be a list of entries such as 0, "0=0.5"'],
    [{ adapters: Array.from({ length: 65 }, () => 0) }, 'option "adapters" has more than 64 entries'],
  ])('%j is rejected', (given, message) => {
    expect(() => parseOptions(given)).toThrow(message);
  });

  test('a wrong type has the code of Ollama; what Ollama does not have is a bad request', () => {
    const codeOf = (code: string) => expect.objectContaining({ code });
    expect(() => parseOptions({ num_ctx: '4096' })).toThrow(codeOf('bad_option'));
    expect(() => parseOptions({ kv_cache_type_k: 'q3_0' })).toThrow(codeOf('bad_request'));
    expect(() => parseOptions({ adapters: ['ahoy'] })).toThrow(codeOf('bad_request'));
    expect(() => parseOptions({ adapters: Array.from({ length: 65 }, () => 0) })).toThrow(codeOf('bad_request'));
  });

  test('values out of range are clamped', () => {
    const { values } = parseOptions({ num_ctx: 1, num_thread: 1e9, repeat_penalty: -1, mirostat: 7, top_k: -5 });
    expect(values).toEqual({ numCtx: 4, numThread: 512, repeatPenalty: 1e-6, mirostat: 2, topK: 0 });
  });

  test.each([
    [0, 0],
    [2 ** 32 - 1, 2 ** 32 - 1],
    [2 ** 32, 0],
    [1_763_260_000_123, 1_763_260_000_123 % 2 ** 32],
    [-2, 2 ** 32 - 2],
    [-1, -1],
  ])('seed %d is reduced modulo 2^32: %d', (given, expected) => {
    expect(parseOptions({ seed: given }).values).toEqual({ seed: expected });
  });

  test('tensor_split is a list or a text', () => {
    expect(parseOptions({ tensor_split: [3, 1] }).values).toEqual({ tensorSplit: '3,1' });
    expect(parseOptions({ tensor_split: '3,1' }).values).toEqual({ tensorSplit: '3,1' });
    expect(() => parseOptions({ tensor_split: [0] })).toThrow(
      'option "tensor_split" must be a list of shares such as [3, 1] or "3,1"',
    );
  });

  test('more options than any client sends are rejected', () => {
    const given = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`option${index}`, 1]));
    expect(() => parseOptions(given)).toThrow(expect.objectContaining({ code: 'bad_request' }));
  });

  test('inherited property names are not options', () => {
    expect(parseOptions({ constructor: 1, toString: 2 }).unknown).toEqual(['constructor', 'toString']);
  });
});

test('the request overrides the model, the model overrides the defaults', () => {
  const { load, sample } = resolveOptions({ temperature: 0.5, topK: 10, numCtx: 100 }, { temperature: 0.1 });
  expect(sample).toMatchObject({ temperature: 0.1, topK: 10, topP: 0.9, repeatPenalty: 1, seed: -1, numKeep: 4 });
  expect(load).toMatchObject({ numCtx: 100, numBatch: 512, numGpu: -1 });
  expect(load).toHaveProperty('useMmap', undefined);
});
