// Evaluates a text in chunks, as llama-imatrix does, and collects what is multiplied with the matrices of the model.

import { HearthError } from '../../../base/errors.ts';
import { whyUnusable } from '../../../formats/gguf/engine-limits.ts';
import type { ImatrixEntry } from '../../../formats/gguf/write-imatrix.ts';
import { decideThreads } from '../../../inference/protocol/decide-threads.ts';
import { onlyEmbeds } from '../../../inference/runner/embed/embed-params.ts';
import { createBatch } from '../../../inference/runner/llama/batch.ts';
import type { LlamaApi } from '../../../inference/runner/llama/bindings/llama-api.ts';
import type { ContextPointer, ModelPointer, TensorPointer } from '../../../inference/runner/llama/bindings/pointers.ts';
import { createVocabulary } from '../../../inference/runner/llama/vocabulary.ts';
import { loadWeights } from '../../../inference/runner/llama/weights-source.ts';
import { openWeightsFile } from '../../../inference/runner/load/weights-file.ts';
import { createThreads } from '../../../inference/runner/threads/threads.ts';
import { tokensPerChunk } from '../imatrix-messages.ts';
import { ActivationSums } from './activation-sums.ts';

interface TextEvaluation {
  /** The path of the weights. */
  readonly model: string;
  readonly text: string;
  /** Chunks after this many are not evaluated. Absent: all are. */
  readonly maxChunks?: number | undefined;
  readonly onProgress: (done: number, total: number) => void;
}

interface EvaluatedText {
  readonly entries: readonly ImatrixEntry[];
  readonly chunks: number;
}

export async function evaluateText(api: LlamaApi, request: TextEvaluation): Promise<EvaluatedText> {
  const { text, maxChunks = Number.POSITIVE_INFINITY, onProgress } = request;
  const model = await openModel(api, request.model);
  const { vocabulary, chunks } = cutText(api, model, text);
  const total = Math.min(chunks.length, maxChunks);
  const sums = new ActivationSums(api);
  const decode = openDecoder(api, model, sums);
  onProgress(0, total);
  for (const [index, chunk] of chunks.slice(0, total).entries()) {
    decode(vocabulary.addsBos ? [api.vocabBos(vocabulary.pointer), ...chunk.slice(1)] : chunk);
    onProgress(index + 1, total);
  }
  const { entries } = sums;
  if (entries.length === 0)
    throw new HearthError('unsupported', 'the model has no matrices that an importance matrix describes');
  return { entries, chunks: total };
}

async function openModel(api: LlamaApi, path: string): Promise<ModelPointer> {
  const { header, source } = await openWeightsFile(path);
  const reason = whyUnusable(header.metadata) ?? (onlyEmbeds(header.metadata) ? embedding : undefined);
  if (reason !== undefined) throw new HearthError('unsupported', reason);
  // The matrices that the quantizer reads, without copies of another layout.
  const params = { ...api.modelDefaultParams(), n_gpu_layers: 0, use_extra_bufts: false };
  const model = loadWeights(api, source, params);
  if (model === null) throw new HearthError('load_failed', 'llama.cpp could not load the model');
  return model;
}

const embedding = 'importance matrices are computed for models that generate text, not for embedding models';

function cutText(api: LlamaApi, model: ModelPointer, text: string) {
  const vocabulary = createVocabulary(api, api.modelVocab(model));
  const tokens = vocabulary.tokenize(text, { addSpecial: true, plain: true });
  const count = Math.floor(tokens.length / tokensPerChunk);
  if (count === 0)
    throw new HearthError(
      'bad_request',
      `the text has ${tokens.length} tokens; at least ${tokensPerChunk} are needed, and many times more are better`,
    );
  const chunks = Array.from({ length: count }, (_, index) =>
    tokens.slice(index * tokensPerChunk, (index + 1) * tokensPerChunk),
  );
  return { vocabulary, chunks };
}

function openDecoder(api: LlamaApi, model: ModelPointer, sums: ActivationSums): (chunk: readonly number[]) => void {
  // An error must not leave the callback, which C code calls.
  let failure: unknown;
  const callback = api.registerEvalCallback((tensor: TensorPointer, ask: boolean) => {
    if (failure !== undefined) return false;
    try {
      if (ask) return sums.wants(tensor);
      sums.add(tensor);
      return true;
    } catch (error) {
      failure = error;
      return false;
    }
  });
  const limit = decideThreads(0);
  const context = api.contextNew(model, {
    ...api.contextDefaultParams(),
    n_ctx: tokensPerChunk,
    n_batch: tokensPerChunk,
    n_ubatch: tokensPerChunk,
    n_threads: limit,
    n_threads_batch: limit,
    cb_eval: callback,
  }) as ContextPointer | null;
  if (context === null) throw new HearthError('load_failed', `llama.cpp could not create a context`);
  const threads = createThreads(api, { limit, adapts: false, onGpu: 'nothing', watchScript: '' });
  const batch = createBatch(tokensPerChunk);
  return (chunk) => {
    const memory = api.memory(context);
    if (memory !== null) api.memoryClear(memory, true);
    batch.clear();
    // With logits for all tokens, the last layer is computed for all of them.
    for (const [position, token] of chunk.entries()) batch.add({ token, position, sequence: 0, logits: true });
    const code = threads.decode(context, batch.struct);
    if (failure !== undefined) throw failure;
    if (code !== 0) throw new HearthError('request_failed', `llama_decode returned ${code} for ${chunk.length} tokens`);
    sums.endPass();
  };
}
