// The reference for real models: llama.cpp's own functions in a plain loop that takes the likeliest token.

import { physicalCores } from '../../src/inference/protocol/decide-threads.ts';
import { createBatch } from '../../src/inference/runner/llama/batch.ts';
import type { ContextPointer, ModelPointer } from '../../src/inference/runner/llama/bindings/pointers.ts';
import { findBackend } from '../../src/inference/runner/llama/find-backend.ts';
import { createLogitViews } from '../../src/inference/runner/llama/logit-views.ts';
import { openBackend } from '../../src/inference/runner/llama/open-backend.ts';
import { createVocabulary } from '../../src/inference/runner/llama/vocabulary.ts';

export interface PlainLoop {
  countTokens(prompt: string): number;
  /** Ends at an end token. */
  complete(prompt: string, maxTokens: number): string;
  /**
   * The log probabilities of the tokens from `from` on, each given those before it; of at most 512 tokens. One pass, because
   * passes with other rows may round quantized weights differently. `kept`: tokens of the last call whose cells are used again.
   */
  score(tokens: readonly number[], options?: { readonly from?: number; readonly kept?: number }): number[];
  close(): void;
}

const batchSize = 512;

// The bindings can be declared only once in a process.
let backend: ReturnType<typeof openBackend> | undefined;

export function openPlainLoop(modelPath: string, contextLength: number): PlainLoop {
  backend ??= openBackend(findBackend('auto'));
  const api = backend;
  /** llama.cpp prints a hundred lines about a model. */
  const quietly = <Result>(call: () => Result): Result => api.captureLog(() => {}, call);
  const model = quietly(() => api.modelLoad(modelPath, api.modelDefaultParams())) as ModelPointer;
  const vocabulary = createVocabulary(api, api.modelVocab(model));
  const threads = physicalCores();
  const params = {
    ...api.contextDefaultParams(),
    n_ctx: contextLength,
    n_batch: batchSize,
    n_ubatch: batchSize,
    n_threads: threads,
    n_threads_batch: threads,
  };
  const context = quietly(() => api.contextNew(model, params)) as ContextPointer;
  const sampler = api.samplerGreedy();
  const batch = createBatch(batchSize);
  const views = createLogitViews(vocabulary.size);
  const tokensOf = (prompt: string): number[] => vocabulary.tokenize(prompt, { addSpecial: true });

  const decode = (tokens: readonly number[], position: number): void => {
    for (let start = 0; start < tokens.length; start += batchSize) {
      batch.clear();
      for (const [index, token] of tokens.slice(start, start + batchSize).entries())
        batch.add({
          token,
          position: position + start + index,
          sequence: 0,
          logits: start + index === tokens.length - 1,
        });
      if (api.decode(context, batch.struct) !== 0) throw new Error('decode failed');
    }
  };

  return {
    countTokens: (prompt) => tokensOf(prompt).length,
    complete(prompt, maxTokens) {
      const memory = api.memory(context);
      if (memory !== null) api.memoryClear(memory, false);
      let tokens = tokensOf(prompt);
      let position = 0;
      const pieces: Buffer[] = [];
      for (let count = 0; count < maxTokens; count++) {
        decode(tokens, position);
        position += tokens.length;
        // The last row that has logits.
        const token = api.samplerSample(sampler, context, -1);
        if (vocabulary.isEnd(token)) break;
        pieces.push(vocabulary.pieceOf(token));
        tokens = [token];
      }
      return Buffer.concat(pieces).toString('utf8');
    },
    score(tokens, { from = 1, kept = 0 } = {}) {
      const memory = api.memory(context);
      if (memory !== null) api.memoryRemove(memory, 0, kept, -1);
      batch.clear();
      for (const [index, token] of tokens.slice(kept).entries()) {
        const position = kept + index;
        batch.add({ token, position, sequence: 0, logits: position >= from - 1 });
      }
      if (api.decode(context, batch.struct) !== 0) throw new Error('decode failed');
      return tokens.slice(from).map((token, index) => {
        const logits = views(api.logitsAt(context, from - 1 - kept + index) as bigint);
        const max = logits.reduce((most, logit) => Math.max(most, logit), Number.NEGATIVE_INFINITY);
        const sum = logits.reduce((total, logit) => total + Math.exp(logit - max), 0);
        return (logits[token] as number) - max - Math.log(sum);
      });
    },
    close() {
      api.samplerFree(sampler);
      quietly(() => api.contextFree(context));
      quietly(() => api.modelFree(model));
    },
  };
}
