// Sequences that llama.cpp moves itself, as it does in the memory of a GPU.

import { afterAll, expect, test } from 'vitest';
import { type Batch, createBatch } from '../../src/inference/runner/llama/batch.ts';
import type { ContextPointer, ModelPointer } from '../../src/inference/runner/llama/bindings/pointers.ts';
import { createContext, type EngineContext } from '../../src/inference/runner/llama/context.ts';
import { findBackend } from '../../src/inference/runner/llama/find-backend.ts';
import { openBackend } from '../../src/inference/runner/llama/open-backend.ts';
import { createVocabulary } from '../../src/inference/runner/llama/vocabulary.ts';
import { emberSource } from '../support/engine.ts';

const api = openBackend(findBackend('cpu'));
const model = api.modelLoad(emberSource.weightsPath, api.modelDefaultParams()) as ModelPointer;
const vocabularySize = createVocabulary(api, api.modelVocab(model)).size;
const size = { n_ctx: 3 * 256, n_batch: 64, n_ubatch: 64, n_seq_max: 3, n_threads: 1, n_threads_batch: 1 };
const pointers: ContextPointer[] = [];
afterAll(() => {
  for (const pointer of pointers) api.contextFree(pointer);
  api.modelFree(model);
});

function openContext(onDevice: boolean): EngineContext {
  const pointer = api.contextNew(model, { ...api.contextDefaultParams(), ...size }) as ContextPointer;
  pointers.push(pointer);
  const threads = { limit: 1, decode: api.decode, free() {} };
  return createContext(api, pointer, { vocabularySize, memory: 'attention', threads, onDevice });
}

/** Evaluates one token of each of these sequences. Returns their logits. */
function evaluate(context: EngineContext, batch: Batch, position: number, tokens: Record<number, number>): number[][] {
  batch.clear();
  const rows = Object.entries(tokens).map(([sequence, token]) =>
    batch.add({ token, position, sequence: Number(sequence), logits: true }),
  );
  expect(context.decode(batch)).toBe('done');
  return rows.map((row) => [...context.logits(row)]);
}

/** Evaluates three sequences, moves the last one to the place of the first, and evaluates two. */
function moveLast(context: EngineContext): number[][] {
  const batch = createBatch(64);
  for (let position = 0; position < 10; position++)
    evaluate(context, batch, position, { 0: position + 5, 1: position + 50, 2: position + 500 });
  expect(context.copy(2, 0)).toBe(true);
  context.forget(2, 0);
  return evaluate(context, batch, 10, { 0: 77, 1: 78 });
}

test('a sequence that llama.cpp has moved continues as one that was copied through main memory', () => {
  expect(moveLast(openContext(true))).toEqual(moveLast(openContext(false)));
});

test('until the next pass the cells cannot be replaced', () => {
  const context = openContext(true);
  const batch = createBatch(64);
  evaluate(context, batch, 0, { 0: 5, 1: 6, 2: 7 });
  const snapshot = context.snapshot(1);
  context.copy(2, 0);
  expect([context.copying, context.restore(0, snapshot)]).toEqual([true, false]);
  evaluate(context, batch, 1, { 0: 8 });
  expect([context.copying, context.restore(2, snapshot)]).toEqual([false, true]);
});
