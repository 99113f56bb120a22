import { describe, expect, test } from 'vitest';
import type { GgufValue } from '../../../formats/gguf/metadata.ts';
import type { ContextParams } from '../llama/bindings/structs.ts';
import type { LoadPlan } from '../load-params.ts';
import { decideEmbedSize, decideEmbedWay, onlyEmbeds, poolings, toEmbedContextParams } from './embed-params.ts';

const file = (entries: Readonly<Record<string, GgufValue>>): Map<string, GgufValue> =>
  new Map<string, GgufValue>([
    ['general.architecture', 'any'],
    ...Object.entries(entries).map(([name, value]) => [`any.${name}`, value] as const),
  ]);

describe('how a model makes a vector', () => {
  test.each([
    ['one that writes', {}, { kind: 'last', pooling: poolings.none }, false],
    ['one that writes, made for embeddings', { pooling_type: 3 }, { kind: 'last', pooling: poolings.none }, true],
    ['mean', { pooling_type: 1, 'attention.causal': false }, { kind: 'whole', pooling: poolings.mean }, true],
    ['mean of one that writes', { pooling_type: 1 }, { kind: 'whole', pooling: poolings.mean }, true],
    ['the first token', { pooling_type: 2, 'attention.causal': false }, { kind: 'whole', pooling: poolings.cls }, true],
    [
      'an encoder that does not say',
      { pooling_type: 0, 'attention.causal': false },
      { kind: 'whole', pooling: poolings.last },
      true,
    ],
    ['one that ranks', { pooling_type: 4, 'attention.causal': false }, { kind: 'whole', pooling: poolings.cls }, true],
  ])('%s', (_, entries: Readonly<Record<string, GgufValue>>, way, only) => {
    expect(decideEmbedWay(file(entries))).toEqual(way);
    expect(onlyEmbeds(file(entries))).toBe(only);
  });
});

describe('the size of its context', () => {
  const last = { kind: 'last', pooling: poolings.none } as const;
  const whole = { kind: 'whole', pooling: poolings.mean } as const;
  const needs = { tokens: 0, numBatch: 512, recurrent: false };

  test('one batch', () => {
    expect(decideEmbedSize(last, needs)).toEqual({ tokens: 512, batch: 512, sequences: 64 });
    expect(decideEmbedSize(whole, needs)).toEqual({ tokens: 512, batch: 512, sequences: 64 });
  });

  test('a long text: in parts, or in a batch that is as long', () => {
    expect(decideEmbedSize(last, { ...needs, tokens: 1500 })).toEqual({ tokens: 2048, batch: 512, sequences: 64 });
    expect(decideEmbedSize(whole, { ...needs, tokens: 1500 })).toEqual({ tokens: 2048, batch: 2048, sequences: 64 });
  });

  test('the smallest num_batch has a row for every text', () => {
    expect(decideEmbedSize(last, { ...needs, numBatch: 1 })).toEqual({ tokens: 256, batch: 64, sequences: 64 });
  });

  test('few states of a model that has such', () => {
    expect(decideEmbedSize(last, { ...needs, recurrent: true }).sequences).toBe(4);
  });

  test('what the engine is told', () => {
    const plan = { flashAttention: 'auto', settings: { cacheOnGpu: true } } as LoadPlan;
    const params = (way: typeof last | typeof whole) =>
      toEmbedContextParams({} as ContextParams, { plan, way, size: decideEmbedSize(way, needs), threads: 3 });
    const common = { n_ctx: 512, n_batch: 512, n_ubatch: 512, n_seq_max: 64, n_threads: 3, kv_unified: true };
    expect(params(last)).toMatchObject({ ...common, embeddings: false, pooling_type: 0, n_outputs_max: 64 });
    expect(params(whole)).toMatchObject({ ...common, embeddings: true, pooling_type: 1, n_outputs_max: 0 });
  });
});
