// Prefixes that stay in the slots of a GPU and are copied within its memory. llama.cpp makes the same copies on the CPU, so
// that a worker which takes the CPU for a GPU shows whether answers stay the same, with every kind of memory.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GenerateCommand, RunnerEvent, StartedEvent } from '../../src/inference/protocol/messages.ts';
import { createBatch } from '../../src/inference/runner/llama/batch.ts';
import type { ContextPointer, ModelPointer } from '../../src/inference/runner/llama/bindings/pointers.ts';
import { createContext } from '../../src/inference/runner/llama/context.ts';
import { findBackend } from '../../src/inference/runner/llama/find-backend.ts';
import { memoryKindOf } from '../../src/inference/runner/llama/memory-kind.ts';
import { openBackend } from '../../src/inference/runner/llama/open-backend.ts';
import { createVocabulary } from '../../src/inference/runner/llama/vocabulary.ts';
import type { NativeModel } from '../../src/inference/runner/process/load-model.ts';
import { createWorker } from '../../src/inference/runner/process/worker.ts';
import { resolveOptions } from '../../src/models/options.ts';
import { type ComparedAnswer, expectSameLikeliest, expectSameUnquantized } from '../support/compare-answers.ts';
import { emberSource, longText } from '../support/engine.ts';
import { type MemoryModel, memoryModels, writeMemoryModel } from '../support/models/tiny-memories.ts';
import { thoroughly } from '../support/thorough.ts';

const api = openBackend(findBackend('cpu'));
const opened: { readonly model: ModelPointer; readonly pointer: ContextPointer }[] = [];
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hearth-device-'));
});
afterAll(() => {
  for (const { model, pointer } of opened) {
    api.contextFree(pointer);
    api.modelFree(model);
  }
  rmSync(folder, { recursive: true });
});

const parallel = 6;

const contextLength = 2048;
const size = { n_ctx: parallel * contextLength, n_batch: 518, n_ubatch: 512, n_seq_max: parallel } as const;

/** A model as the runner would have loaded it, with a context that makes copies as on a GPU or through main memory. */
function open(path: string, onDevice: boolean): NativeModel {
  const model = api.modelLoad(path, api.modelDefaultParams()) as ModelPointer;
  const params = { ...api.contextDefaultParams(), ...size, n_threads: 1, n_threads_batch: 1, swa_full: true };
  const pointer = api.contextNew(model, params) as ContextPointer;
  opened.push({ model, pointer });
  const vocabulary = createVocabulary(api, api.modelVocab(model));
  const threads = { limit: 1, decode: api.decode, free() {} };
  const memory = memoryKindOf(api, model, pointer);
  const limits = { contextLength, trainedContext: contextLength, parallel, batch: 512, threads: 1, gpus: 0 };
  return {
    api,
    vocabulary,
    context: createContext(api, pointer, { vocabularySize: vocabulary.size, memory, threads, onDevice }),
    embedContext: undefined,
    ranker: undefined,
    batch: createBatch(size.n_batch),
    imageEncoder: undefined,
    draftModel: undefined,
    head: undefined,
    adapters: 0,
    useAdapters: () => {},
    modelBytes: 1000,
    prefixKey: '',
    hasDeviceMemory: onDevice,
    info: { engine: 'test', ...limits },
  };
}

interface StartedAnswer extends ComparedAnswer {
  readonly started: StartedEvent;
}

interface Run {
  /** Answers the prompts at the same time. */
  ask(prompts: readonly string[]): Promise<readonly StartedAnswer[]>;
}

function runOn(model: NativeModel): Run {
  const events: RunnerEvent[] = [];
  let onIdle = (): void => {};
  const write = (event: RunnerEvent): void => {
    events.push(event);
    if (event.type === 'counters') onIdle();
  };
  const prefixCacheBytes = model.hasDeviceMemory ? 2 ** 26 : 0;
  const worker = createWorker(model, { write, prefixCacheBytes, speculation: false });
  let last = 0;
  const answerOf = (id: number): StartedAnswer => {
    const pieces = events
      .flatMap((event) => (event.type === 'text' ? event.pieces : []))
      .filter((one) => one.id === id);
    const find = (type: string) => events.find((event) => event.type === type && 'id' in event && event.id === id);
    expect(find('failed')).toBeUndefined();
    return {
      text: pieces.map(({ text }) => text).join(''),
      logprobs: pieces.flatMap(({ logprobs = [] }) => logprobs),
      started: find('started') as StartedEvent,
    };
  };
  return {
    async ask(prompts) {
      const idle = new Promise<void>((resolve) => {
        onIdle = resolve;
      });
      const sample = resolveOptions({ temperature: 0, repeatPenalty: 1, numPredict: 8 }).sample;
      const logitBias = model.vocabulary.endTokens().map((token) => [token, -1e30] as const);
      const ids = prompts.map((prompt) => {
        const command = { type: 'generate', id: ++last, client: 'test', context: [], prompt, options: sample } as const;
        worker.generate({ ...command, wantContext: false, topLogprobs: 2, logitBias } satisfies GenerateCommand);
        return last;
      });
      await idle;
      return ids.map(answerOf);
    },
  };
}

const turn = (role: string, text: string): string => `<|im_start|>${role}\n${text}<|im_end|>\n`;
const header = '<|im_start|>assistant\n';

// Ember takes longer than all the small models, which have its kind of memory, too.
const models: readonly (MemoryModel | 'ember')[] = [...memoryModels, ...thoroughly(['ember' as const], [])];
describe.each(models)('%s', (name) => {
  // The tokens of the small models are characters. Kept cells are moved if they have at least 512 tokens.
  const words = name === 'ember' ? 300 : 60;
  const system = turn('system', longText(words, 1));
  const question = (variant: number): string => turn('user', longText(words, variant));
  const nextTurns = (answers: readonly string[]): string[] =>
    answers.map(
      (answer, index) => `${system}${question(index + 2)}${header}${answer}<|im_end|>\n${question(20 + index)}`,
    );

  test('callers with one beginning evaluate it once, later turns continue, and answers are the same as without', async () => {
    const path = name === 'ember' ? emberSource.weightsPath : join(folder, `${name}.gguf`);
    if (name !== 'ember') writeMemoryModel(path, name);
    const expectSame = name === 'ember' ? expectSameLikeliest : expectSameUnquantized;
    const [device, plain] = [runOn(open(path, true)), runOn(open(path, false))];
    const firstPrompts = [2, 3, 4, 5].map((variant) => system + question(variant) + header);
    const first = await device.ask(firstPrompts);
    const firstPlain = await plain.ask(firstPrompts);
    for (const [index, answer] of first.entries()) expectSame(answer, firstPlain[index] as ComparedAnswer);
    const evaluated = first.map(({ started }) => started.cachedTokens);
    expect(evaluated.filter((cached) => cached === 0)).toHaveLength(1);

    const nextPrompts = nextTurns(first.map(({ text }) => text)).reverse();
    const next = await device.ask(nextPrompts);
    const nextPlain = await plain.ask(nextPrompts);
    for (const [index, answer] of next.entries()) expectSame(answer, nextPlain[index] as ComparedAnswer);
    const least = Math.min(...next.map(({ started }) => started.cachedTokens));
    expect(least).toBeGreaterThan(Math.max(...evaluated));

    const lastPrompts = [7, 8, 9].map((variant) => system + question(variant) + header);
    const others = await device.ask(lastPrompts);
    const othersPlain = await plain.ask(lastPrompts);
    for (const [index, answer] of others.entries()) expectSame(answer, othersPlain[index] as ComparedAnswer);
    expect(others.filter(({ started }) => started.cachedTokens === 0)).toEqual([]);
  });
});
