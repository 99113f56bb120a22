// Scores prompts with a reranker through llama.cpp alone: one prompt at a time, in one pass. Tests compare the engine
// with it.

import koffi from 'koffi';
import { createBatch } from '../../../src/inference/runner/llama/batch.ts';
import type { LlamaApi } from '../../../src/inference/runner/llama/bindings/llama-api.ts';
import type { ContextPointer, ModelPointer } from '../../../src/inference/runner/llama/bindings/pointers.ts';

export interface DirectRanker {
  /** The tokens of a text with special tokens. */
  tokenize(text: string): number[];
  /** All outputs of the head. */
  score(tokens: readonly number[]): number[];
  close(): void;
}

const rankPooling = 4;
const contextLength = 512;

/** A process can open the backend once. */
export function openDirectRanker(api: LlamaApi, path: string): DirectRanker {
  const model = api.modelLoad(path, api.modelDefaultParams()) as ModelPointer;
  const size = { n_ctx: contextLength, n_batch: contextLength, n_ubatch: contextLength };
  // More threads would wait for each other longer than such small models compute.
  const threads = { n_threads: 1, n_threads_batch: 1 };
  const params = { ...api.contextDefaultParams(), ...size, ...threads, pooling_type: rankPooling, embeddings: true };
  const context = api.contextNew(model, params) as ContextPointer;
  const batch = createBatch(contextLength);
  return {
    tokenize(text) {
      const bytes = Buffer.from(text);
      const out = new Int32Array(bytes.length + 8);
      return [
        ...out.subarray(0, api.tokenize(api.modelVocab(model), bytes, bytes.length, out, out.length, false, true)),
      ];
    },
    score(tokens) {
      const memory = api.memory(context);
      if (memory !== null) api.memoryClear(memory, true);
      batch.clear();
      for (const [position, token] of tokens.entries()) batch.add({ token, position, sequence: 0, logits: true });
      if (api.decode(context, batch.struct) !== 0) throw new Error('llama_decode failed');
      const outputs = api.embeddingOf(context, 0);
      if (outputs === null) throw new Error('there is no score');
      return [...new Float32Array(koffi.view(outputs, 4 * api.modelClassifierOutputs(model)))];
    },
    close() {
      api.contextFree(context);
      api.modelFree(model);
    },
  };
}
