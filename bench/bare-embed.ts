// The baseline for embeddings: the same build of llama.cpp with a loop that sorts texts by length, fills batches of 512
// tokens and lets llama.cpp pool. Runs as a separate process, like a runner. For every line "<texts> <seed>" on
// standard input it embeds this many texts of mixed length and prints the speed as JSON.
//
//   node bare-embed.js <model>

import { createInterface } from 'node:readline';
import koffi from 'koffi';
import { physicalCores } from '../src/inference/protocol/decide-threads.ts';
import { createBatch } from '../src/inference/runner/llama/batch.ts';
import type {
  Address,
  ContextPointer,
  MemoryPointer,
  ModelPointer,
} from '../src/inference/runner/llama/bindings/pointers.ts';
import { findBackend } from '../src/inference/runner/llama/find-backend.ts';
import { openBackend } from '../src/inference/runner/llama/open-backend.ts';
import { createVocabulary } from '../src/inference/runner/llama/vocabulary.ts';
import { attachThreads } from './attach-threads.ts';
import type { BareResult } from './bare-loop.ts';
import { mixedTexts } from './mixed-texts.ts';

const batchTokens = 512;
const sequences = 64;
const lastToken = 3;

function main(modelPath: string): void {
  const api = openBackend(findBackend('auto'));
  const model = api.modelLoad(modelPath, api.modelDefaultParams()) as ModelPointer;
  const vocabulary = createVocabulary(api, api.modelVocab(model));
  const width = api.modelEmbeddingWidth(model);
  const context = createContext();
  const memory = api.memory(context) as MemoryPointer;
  const batch = createBatch(batchTokens);

  createInterface({ input: process.stdin }).on('line', (line) => {
    const [count = 1, seed = 1] = line.split(' ').map(Number);
    const texts = mixedTexts(count, seed);
    const begun = performance.now();
    const { tokens } = embed(texts);
    const seconds = (performance.now() - begun) / 1000;
    console.log(JSON.stringify({ tokensPerSecond: tokens / seconds } satisfies BareResult));
  });

  function embed(texts: readonly string[]): { readonly vectors: Float32Array[]; readonly tokens: number } {
    const inputs = texts
      .map((text, index) => ({ index, tokens: vocabulary.tokenize(text, { addSpecial: true }) }))
      .sort((a, b) => a.tokens.length - b.tokens.length);
    const vectors: Float32Array[] = [];
    let total = 0;
    for (let next = 0; next < inputs.length; ) {
      const pass: typeof inputs = [];
      let room = batchTokens;
      for (; pass.length < sequences && next < inputs.length; next++) {
        const input = inputs[next] as (typeof inputs)[number];
        if (input.tokens.length > room) break;
        room -= input.tokens.length;
        pass.push(input);
      }
      total += batchTokens - room;
      decode(pass.map(({ tokens }) => tokens));
      pass.forEach(({ index }, sequence) => {
        const address = api.embeddingOf(context, sequence) as Address;
        vectors[index] = new Float32Array(koffi.view(address, width * Float32Array.BYTES_PER_ELEMENT)).slice();
      });
    }
    return { vectors, tokens: total };
  }

  function decode(inputs: readonly (readonly number[])[]): void {
    api.memoryClear(memory, false);
    batch.clear();
    inputs.forEach((tokens, sequence) => {
      for (const [position, token] of tokens.entries()) batch.add({ token, position, sequence, logits: true });
    });
    if (api.decode(context, batch.struct) !== 0) throw new Error('decode failed');
  }

  function createContext(): ContextPointer {
    const threads = physicalCores();
    const pointer = api.contextNew(model, {
      ...api.contextDefaultParams(),
      n_ctx: batchTokens,
      n_batch: batchTokens,
      n_ubatch: batchTokens,
      n_seq_max: sequences,
      n_threads: threads,
      n_threads_batch: threads,
      pooling_type: lastToken,
      embeddings: true,
      kv_unified: true,
    }) as ContextPointer;
    attachThreads(api, pointer, threads);
    return pointer;
  }
}

const [, script = '', modelPath] = process.argv;
if (script.endsWith('bare-embed.js') && modelPath !== undefined) main(modelPath);
