// The baseline for generation: the same build of llama.cpp with only a loop. Runs as a separate process, like a runner.
// For every line "<sequences> <tokens>" on standard input it generates this many tokens in this many parallel sequences
// and prints the speed as JSON.
//
//   node bare-loop.js <model>

import { createInterface } from 'node:readline';
import { physicalCores } from '../src/inference/protocol/decide-threads.ts';
import { createBatch } from '../src/inference/runner/llama/batch.ts';
import type {
  ContextPointer,
  MemoryPointer,
  ModelPointer,
  SamplerPointer,
} from '../src/inference/runner/llama/bindings/pointers.ts';
import { findBackend } from '../src/inference/runner/llama/find-backend.ts';
import { openBackend } from '../src/inference/runner/llama/open-backend.ts';
import { createVocabulary } from '../src/inference/runner/llama/vocabulary.ts';
import { attachThreads } from './attach-threads.ts';

export interface BareResult {
  readonly tokensPerSecond: number;
}

export const prompt = 'Once';
const contextLength = 2048;

function main(modelPath: string): void {
  const api = openBackend(findBackend('auto'));
  const model = api.modelLoad(modelPath, api.modelDefaultParams()) as ModelPointer;
  const vocabulary = createVocabulary(api, api.modelVocab(model));
  const promptTokens = vocabulary.tokenize(prompt, { addSpecial: true });
  const batch = createBatch(512);
  const contexts = new Map<number, ContextPointer>();

  createInterface({ input: process.stdin }).on('line', (line) => {
    const [sequences = 1, tokens = 1] = line.split(' ').map(Number);
    const context = contexts.get(sequences) ?? createContext(sequences);
    contexts.set(sequences, context);
    const samplers = Array.from({ length: sequences }, (_, seed) => createChain(seed));
    const seconds = generate(context, samplers, tokens);
    for (const sampler of samplers) api.samplerFree(sampler);
    api.memoryClear(api.memory(context) as MemoryPointer, false);
    console.log(JSON.stringify({ tokensPerSecond: (sequences * tokens) / seconds } satisfies BareResult));
  });

  /** From the prompts, evaluated in one pass, to the last token. */
  function generate(context: ContextPointer, samplers: readonly SamplerPointer[], tokens: number): number {
    const begun = performance.now();
    batch.clear();
    let rows = samplers.map((_, sequence) => {
      let row = 0;
      promptTokens.forEach((token, position) => {
        row = batch.add({ token, position, sequence, logits: position === promptTokens.length - 1 });
      });
      return row;
    });
    let characters = 0;
    for (let position = promptTokens.length; ; position++) {
      if (api.decode(context, batch.struct) !== 0) throw new Error('decode failed');
      const chosen = samplers.map((sampler, sequence) => api.samplerSample(sampler, context, rows[sequence] as number));
      for (const token of chosen) characters += vocabulary.pieceOf(token).length;
      if (position - promptTokens.length + 1 === tokens) break;
      batch.clear();
      rows = chosen.map((token, sequence) => batch.add({ token, position, sequence, logits: true }));
    }
    if (characters === 0) throw new Error('no text was generated');
    return (performance.now() - begun) / 1000;
  }

  function createContext(sequences: number): ContextPointer {
    const threads = physicalCores();
    const pointer = api.contextNew(model, {
      ...api.contextDefaultParams(),
      n_ctx: contextLength * sequences,
      n_batch: 512,
      n_ubatch: 512,
      n_seq_max: sequences,
      n_threads: threads,
      n_threads_batch: threads,
    }) as ContextPointer;
    attachThreads(api, pointer, threads);
    return pointer;
  }

  /** The samplers of the default options, without penalties. */
  function createChain(seed: number): SamplerPointer {
    const chain = api.samplerChain();
    const stages = [
      api.samplerTopK(40),
      api.samplerTopP(0.9, 1),
      api.samplerTemperature(0.8),
      api.samplerDistribution(seed),
    ];
    for (const sampler of stages) api.samplerChainAdd(chain, sampler);
    return chain;
  }
}

const [, script = '', modelPath] = process.argv;
if (script.endsWith('bare-loop.js') && modelPath !== undefined) main(modelPath);
