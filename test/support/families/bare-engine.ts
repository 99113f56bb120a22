// The engine alone, without batching, caches and samplers: what a tiny model answers, and the vectors that it computes.

import koffi from 'koffi';
import { createBatch } from '../../../src/inference/runner/llama/batch.ts';
import type { LlamaApi } from '../../../src/inference/runner/llama/bindings/llama-api.ts';
import type { Address, ContextPointer, ModelPointer } from '../../../src/inference/runner/llama/bindings/pointers.ts';
import type { ContextParams } from '../../../src/inference/runner/llama/bindings/structs.ts';
import { createVocabulary } from '../../../src/inference/runner/llama/vocabulary.ts';
import { createContextFactory, loadAdapters } from '../../../src/inference/runner/load/context-factory.ts';
import type { ComparedAnswer } from '../compare-answers.ts';

const contextLength = 512;

export interface BareModel {
  /** The likeliest tokens without those that `isExcluded` returns, with the two likeliest in each place. */
  answer(prompt: string, count: number, step?: number): ComparedAnswer;
  embed(text: string): Float32Array;
  /** What the model pools of these tokens: a vector, or scores. */
  pool(tokens: readonly number[]): Float32Array;
  tokenize(text: string): number[];
  /** The logits after each token. */
  logits(tokens: readonly number[]): Float32Array[];
  /** Bytes of the weights, and of the cache of so many requests. */
  memoryOf(parallel: number, length: number): number;
  close(): void;
}

export function openBareModel(
  api: LlamaApi,
  path: string,
  isExcluded: (token: number) => boolean,
  adapterPaths: readonly string[] = [],
): BareModel {
  let log = '';
  const add = (text: string): void => {
    log += text;
  };
  const model = api.captureLog(add, () =>
    api.modelLoad(path, { ...api.modelDefaultParams(), use_extra_bufts: false }),
  ) as ModelPointer;
  if (model === null) throw new Error(log);
  const weightsBytes = bytesIn(log, /model buffer size/);
  const vocabulary = createVocabulary(api, api.modelVocab(model));
  const batch = createBatch(contextLength);
  const newContext = createContextFactory(api, model, loadAdapters(api, model, adapterPaths));
  const withContext = <Result>(params: Partial<ContextParams>, work: (context: ContextPointer) => Result): Result => {
    const sizes = { n_ctx: contextLength, n_batch: contextLength, n_ubatch: contextLength };
    const threads = { n_threads: 1, n_threads_batch: 1 };
    return api.captureLog(add, () => {
      const context = newContext({ ...api.contextDefaultParams(), ...sizes, ...threads, ...params });
      if (context === undefined) throw new Error('the engine creates no context');
      try {
        return work(context);
      } finally {
        api.contextFree(context);
      }
    });
  };
  const decode = (context: ContextPointer, tokens: readonly number[], start: number): void => {
    batch.clear();
    tokens.forEach((token, index) => {
      batch.add({ token, position: start + index, sequence: 0, logits: index === tokens.length - 1 });
    });
    const code = api.decode(context, batch.struct);
    if (code !== 0) throw new Error(`llama_decode returned ${code}`);
  };
  const floats = (address: Address | null, length: number): Float32Array =>
    new Float32Array(koffi.view(address as Address, 4 * length)).slice();

  const pool = (tokens: readonly number[]): Float32Array =>
    withContext({ embeddings: true }, (context) => {
      batch.clear();
      for (const [position, token] of tokens.entries()) batch.add({ token, position, sequence: 0, logits: true });
      if (api.decode(context, batch.struct) !== 0) throw new Error('decode failed');
      return floats(api.embeddingOf(context, 0), api.modelOutputWidth(model));
    });

  return {
    answer: (prompt, count, step = contextLength) =>
      withContext({}, (context) => {
        let next = vocabulary.tokenize(prompt, { addSpecial: true });
        const logprobs: ComparedAnswer['logprobs'][number][] = [];
        for (let length = 0; logprobs.length < count; ) {
          for (let start = 0; start < next.length; start += step)
            decode(context, next.slice(start, start + step), length + start);
          length += next.length;
          const logits = floats(api.logitsAt(context, -1), vocabulary.size);
          const most = logits.reduce((best, logit) => Math.max(best, logit));
          const sum = Math.log(logits.reduce((total, logit) => total + Math.exp(logit - most), 0)) + most;
          const [first = 0, second = 0] = [...logits.keys()]
            .filter((token) => !isExcluded(token))
            .sort((a, b) => (logits[b] as number) - (logits[a] as number));
          const entry = (token: number) => ({
            bytes: [...vocabulary.pieceOf(token)],
            logprob: (logits[token] as number) - sum,
          });
          logprobs.push({ ...entry(first), top: [entry(first), entry(second)] });
          next = [first];
        }
        return { text: Buffer.from(logprobs.flatMap(({ bytes }) => [...bytes])).toString(), logprobs };
      }),
    embed: (text) => pool(vocabulary.tokenize(text, { addSpecial: true })),
    pool,
    tokenize: (text) => [...vocabulary.tokenize(text, { addSpecial: true })],
    logits: (tokens) =>
      withContext({}, (context) => {
        batch.clear();
        for (const [position, token] of tokens.entries()) batch.add({ token, position, sequence: 0, logits: true });
        if (api.decode(context, batch.struct) !== 0) throw new Error('decode failed');
        return tokens.map((_, index) => floats(api.logitsAt(context, index), vocabulary.size));
      }),
    memoryOf(parallel, length) {
      log = '';
      withContext({ n_ctx: parallel * length, n_seq_max: parallel }, () => {});
      return weightsBytes + bytesIn(log, /(KV|RS) buffer size/);
    },
    close: () => api.captureLog(add, () => api.modelFree(model)),
  };
}

function bytesIn(log: string, kind: RegExp): number {
  return log
    .split('\n')
    .filter((line) => kind.test(line))
    .reduce((sum, line) => sum + Number(/=\s*([\d.]+) MiB/.exec(line)?.[1] ?? 0) * 2 ** 20, 0);
}
