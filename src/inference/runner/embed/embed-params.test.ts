import { describe, expect, test } from 'vitest';
import type { GgufValue } from '../../../formats/gguf/metadata.ts';
import type { ContextParams } from '../llama/bindings/structs.ts';
import type { LoadPlan } from '../load/load-params.ts';
import {
  decideEmbedMethod,
  decideEmbedSize,
  decideRankMethod,
  onlyEmbeds,
  poolings,
  toEmbedContextParams,
} from './embed-params.ts';

const file = (entries: Readonly<Record<string, GgufValue>>): Map<string, GgufValue> =>
  new Map<string, GgufValue>([
    ['general.architecture', 'any'],
    ...Object.entries(entries).map(([name, value]) => [`any.${name}`, value] as const),
  ]);

describe('the method of a model', () => {
  test.each([
    ['a text model', {}, { kind: 'last', pooling: poolings.none }, false],
    ['a text model with pooling', { pooling_type: 3 }, { kind: 'last', pooling: poolings.none }, true],
    ['mean', { pooling_type: 1, 'attention.causal': false }, { kind: 'pooled', pooling: poolings.mean }, true],
    ['mean of a text model', { pooling_type: 1 }, { kind: 'pooled', pooling: poolings.mean }, true],
    [
      'the first token',
      { pooling_type: 2, 'attention.causal': false },
      { kind: 'pooled', pooling: poolings.cls },
      true,
    ],
    [
      'an encoder that does not say',
      { pooling_type: 0, 'attention.causal': false },
      { kind: 'pooled', pooling: poolings.last },
      true,
    ],
    ['a reranker', { pooling_type: 4, 'attention.causal': false }, { kind: 'pooled', pooling: poolings.cls }, true],
  ])('%s', (_, entries: Readonly<Record<string, GgufValue>>, method, only) => {
    expect(decideEmbedMethod(file(entries))).toEqual(method);
    expect(onlyEmbeds(file(entries))).toBe(only);
  });
});

test('a reranker: the last token of a decoder, else all tokens in one pass', () => {
  expect(decideRankMethod({ ofDecoder: true })).toEqual({ kind: 'last', pooling: poolings.rank });
  expect(decideRankMethod({ ofDecoder: false })).toEqual({ kind: 'pooled', pooling: poolings.rank });
});

describe('the context size', () => {
  const last = { kind: 'last', pooling: poolings.none } as const;
  const pooled = { kind: 'pooled', pooling: poolings.mean } as const;
  const needs = { tokens: 0, numBatch: 512, recurrent: false };

  test('one batch', () => {
    expect(decideEmbedSize(last, needs)).toEqual({ tokens: 512, batch: 512, sequences: 64 });
    expect(decideEmbedSize(pooled, needs)).toEqual({ tokens: 512, batch: 512, sequences: 64 });
  });

  test('a long text: in parts, or in a batch of its length', () => {
    expect(decideEmbedSize(last, { ...needs, tokens: 1500 })).toEqual({ tokens: 2048, batch: 512, sequences: 64 });
    expect(decideEmbedSize(pooled, { ...needs, tokens: 1500 })).toEqual({ tokens: 2048, batch: 2048, sequences: 64 });
  });

  test('the smallest num_batch has a row for every text', () => {
    expect(decideEmbedSize(last, { ...needs, numBatch: 1 })).toEqual({ tokens: 256, batch: 64, sequences: 64 });
  });

  test('few sequences for a recurrent model', () => {
    expect(decideEmbedSize(last, { ...needs, recurrent: true }).sequences).toBe(4);
  });

  test('the parameters of the context', () => {
    const plan = { flashAttention: 'auto', settings: { cacheOnGpu: true } } as LoadPlan;
    const params = (method: typeof last | typeof pooled) =>
      toEmbedContextParams({} as ContextParams, { plan, method, size: decideEmbedSize(method, needs), threads: 3 });
    const common = { n_ctx: 512, n_batch: 512, n_ubatch: 512, n_seq_max: 64, n_threads: 3, kv_unified: true };
    expect(params(last)).toMatchObject({ ...common, embeddings: false, pooling_type: 0, n_outputs_max: 64 });
    expect(params(pooled)).toMatchObject({ ...common, embeddings: true, pooling_type: 1, n_outputs_max: 0 });
  });
});
