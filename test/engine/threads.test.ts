// The number of threads may change between the passes of an answer, because it does not change what is computed.

import { afterAll, expect, test } from 'vitest';
import { createBatch } from '../../src/inference/runner/llama/batch.ts';
import type { ContextPointer, ModelPointer } from '../../src/inference/runner/llama/bindings/pointers.ts';
import { createContext } from '../../src/inference/runner/llama/context.ts';
import { findBackend } from '../../src/inference/runner/llama/find-backend.ts';
import { openBackend } from '../../src/inference/runner/llama/open-backend.ts';
import { createVocabulary } from '../../src/inference/runner/llama/vocabulary.ts';
import { createThreadPools } from '../../src/inference/runner/threads/thread-pools.ts';
import { emberSource } from '../support/engine.ts';

const api = openBackend(findBackend('cpu'));
const model = api.modelLoad(emberSource.weightsPath, api.modelDefaultParams()) as ModelPointer;
const vocabularySize = createVocabulary(api, api.modelVocab(model)).size;
const pools = createThreadPools({ api, onStart() {} });
afterAll(() => api.modelFree(model));

// Few passes: two threads on one processor are slow.
const rowsOfPasses = [8, 1, 1];

/** The logits of the last row of each pass. */
function logitsWith(threads: (pass: number) => number): Float32Array[] {
  const size = { n_ctx: 256, n_batch: 64, n_ubatch: 64, n_seq_max: 1 };
  const pointer = api.contextNew(model, { ...api.contextDefaultParams(), ...size }) as ContextPointer;
  let pass = 0;
  const context = createContext(api, pointer, {
    vocabularySize,
    memory: 'attention',
    threads: {
      limit: 2,
      decode(own, batch) {
        pools.use(own, threads(pass++));
        return api.decode(own, batch);
      },
      free() {},
    },
  });
  const batch = createBatch(64);
  let position = 0;
  const outputs = rowsOfPasses.map((rows) => {
    batch.clear();
    for (let row = 0; row < rows; row++, position++)
      batch.add({ token: (position * 97) % vocabularySize, position, sequence: 0, logits: row === rows - 1 });
    expect(context.decode(batch)).toBe('done');
    return context.logits(rows - 1).slice();
  });
  pools.forget(pointer);
  api.contextFree(pointer);
  return outputs;
}

test('logits are equal to the last bit whether one thread computes, or two, one and two', () => {
  expect(logitsWith((pass) => 2 - (pass % 2))).toEqual(logitsWith(() => 1));
});
