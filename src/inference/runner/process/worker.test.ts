// The worker and the command handler over a scripted model, with llama.cpp's own samplers.

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createScriptedApi } from '../../../../test/support/runner/scripted-api.ts';
import {
  answering,
  createScriptedContext,
  createScriptedVocabulary,
  vocabularySize,
} from '../../../../test/support/runner/scripted-model.ts';
import { type OptionValues, resolveOptions } from '../../../models/options.ts';
import type { GenerateCommand, LoadCommand, RunnerEvent } from '../../protocol/messages.ts';
import type { EmbedContext } from '../embed/embed-context.ts';
import { createBatch } from '../llama/batch.ts';
import type { LlamaApi } from '../llama/bindings/llama-api.ts';
import type { EngineContext } from '../llama/context.ts';
import { findBackend } from '../llama/find-backend.ts';
import { openBackend } from '../llama/open-backend.ts';
import { createCommandHandler } from './command-handler.ts';
import type { LoadObserver, NativeModel } from './load-model.ts';
import { createWorker, type Worker } from './worker.ts';

let native: LlamaApi;
beforeAll(() => {
  native = openBackend(findBackend('cpu'));
});

const info = { engine: 'scripted', contextLength: 64, trainedContext: 64, parallel: 2, batch: 32, threads: 1 };

/** A text's vector has one number: how many tokens the text has. */
const embedContext: EmbedContext = {
  kind: 'last',
  sequences: 4,
  begin: (texts) => ({ advance: () => texts.map((tokens) => Float32Array.of(tokens.length)) }),
};

function scriptedModel(overrides: Partial<NativeModel> = {}): NativeModel {
  const context = createScriptedContext({
    script: answering({ 'hi?': 'yes', 'long:': 'x1'.repeat(500) }),
    onDecode() {
      passes++;
      return 'done';
    },
  });
  return {
    api: createScriptedApi(native, context, vocabularySize),
    vocabulary: createScriptedVocabulary(),
    context,
    embedContext,
    ranker: undefined,
    batch: createBatch(info.batch + info.parallel),
    imageEncoder: undefined,
    draftModel: undefined,
    head: undefined,
    adapters: 1,
    useAdapters: () => {},
    modelBytes: 1000,
    prefixKey: 'key',
    hasDeviceMemory: false,
    info,
    ...overrides,
  };
}

let events: RunnerEvent[];
let passes: number;
let onIdle: () => void;
const write = (event: RunnerEvent): void => {
  events.push(event);
  if (event.type === 'counters') onIdle();
};
beforeEach(() => {
  events = [];
  passes = 0;
  onIdle = () => {};
});

/** Resolves at the next `counters` event. */
const idle = (): Promise<void> =>
  new Promise((resolve) => {
    onIdle = resolve;
  });

const workerOf = (overrides?: Partial<NativeModel>): Worker =>
  createWorker(scriptedModel(overrides), { prefixCacheBytes: 10_000, write });

function generation(id: number, prompt: string, extra: Partial<GenerateCommand> = {}): GenerateCommand {
  const options: OptionValues = { temperature: 0, repeatPenalty: 1 };
  const sample = resolveOptions(options).sample;
  return { type: 'generate', id, client: 'test', context: [], prompt, options: sample, wantContext: false, ...extra };
}

function textOf(id: number): string {
  return events
    .flatMap((event) => (event.type === 'text' ? event.pieces : []))
    .filter((piece) => piece.id === id)
    .map(({ text }) => text)
    .join('');
}

describe('generate', () => {
  test('answers, then sends the counters when idle', async () => {
    workerOf().generate(generation(1, 'hi?'));
    await idle();
    expect(textOf(1)).toBe('yes');
    const types = events.map(({ type }) => type).filter((type) => type !== 'text');
    expect(types).toEqual(['started', 'done', 'prefixes', 'counters']);
    expect(events.at(-1)).toMatchObject({
      counters: { promptTokensEvaluated: 3, tokensGenerated: 4, prefixesKept: 1, imagesEncoded: 0, textsEmbedded: 0 },
    });
  });

  test('tells the size of the prefix cache while other requests run, and after a new limit', async () => {
    const worker = workerOf();
    worker.generate(generation(1, 'hi?'));
    worker.generate(generation(2, 'long:'));
    await idle();
    const told = events.findIndex((event) => event.type === 'prefixes' && event.bytes > 0);
    const later = events.slice(told).flatMap((event) => (event.type === 'text' ? event.pieces : []));
    expect(told).toBeGreaterThan(0);
    expect(later.map(({ id }) => id)).toContain(2);
    worker.limitPrefixes(0);
    await idle();
    expect(events.filter(({ type }) => type === 'prefixes').at(-1)).toEqual({ type: 'prefixes', bytes: 0 });
  });

  test('works again after it was idle', async () => {
    const worker = workerOf();
    for (const id of [1, 2]) {
      worker.generate(generation(id, 'hi?'));
      await idle();
    }
    expect([textOf(1), textOf(2)]).toEqual(['yes', 'yes']);
    expect(events.at(-1)).toMatchObject({ counters: { tokensGenerated: 8 } });
  });

  test('a bad request fails at once, and others continue', async () => {
    const worker = workerOf();
    worker.generate(generation(1, 'hi?', { context: [vocabularySize] }));
    worker.generate(generation(2, 'hi?', { logitBias: [[-1, 1]] }));
    worker.generate(generation(3, ''));
    worker.generate(generation(4, 'hi?'));
    await idle();
    expect(events.slice(0, 3)).toMatchObject([
      { type: 'failed', id: 1, code: 'bad_request', message: '128 is not a token of this model' },
      { type: 'failed', id: 2, code: 'bad_request' },
      { type: 'failed', id: 3, code: 'bad_request', message: 'the prompt has no tokens' },
    ]);
    expect(textOf(4)).toBe('yes');
  });

  test.each([
    ['an embedding model', { context: undefined }],
    ['a model loaded with vocab_only', { context: undefined, embedContext: undefined }],
  ])('%s cannot generate', (_, overrides) => {
    workerOf(overrides).generate(generation(1, 'hi?'));
    expect(events).toMatchObject([{ type: 'failed', id: 1, code: 'bad_request' }]);
  });
});

describe('cancel', () => {
  test('ends a running request; no event follows', async () => {
    const worker = workerOf();
    worker.generate(generation(1, 'long:'));
    worker.generate(generation(2, 'hi?'));
    const started = new Promise<void>((resolve) => setImmediate(resolve));
    await started;
    const before = passes;
    worker.cancel(1);
    await idle();
    expect(events.filter(({ type }) => type === 'done')).toMatchObject([{ id: 2 }]);
    // How far both have come depends on the machine. The other answer has four tokens.
    expect(passes - before).toBeLessThanOrEqual(4);
    expect(textOf(1).length).toBeLessThan(1000);
  });

  test('of an unknown request does nothing', () => {
    workerOf().cancel(1);
    expect(events).toEqual([]);
  });
});

describe('embed', () => {
  test('sends the vectors, then the counters', async () => {
    workerOf().embed({ type: 'embed', id: 1, texts: ['one', 'three'], truncate: true });
    await idle();
    const vectors = events.flatMap((event) => (event.type === 'embedded' ? event.vectors : []));
    expect(vectors.map(({ index, tokens }) => [index, tokens]).toSorted()).toEqual([
      [0, 3],
      [1, 5],
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'counters', counters: { textsEmbedded: 2, embedTokensEvaluated: 8 } });
  });

  test('fails if the model was loaded with vocab_only', () => {
    workerOf({ embedContext: undefined }).embed({ type: 'embed', id: 1, texts: ['a'], truncate: true });
    expect(events).toMatchObject([{ type: 'failed', id: 1, code: 'bad_request' }]);
  });
});

describe('rank', () => {
  const command = { type: 'rank', id: 1, query: 'ab', documents: ['one', 'three'], truncate: true } as const;
  /** A pair's score is the number of its tokens. */
  const ranker: NativeModel['ranker'] = {
    context: embedContext,
    tokenizer: {
      open:
        ({ query }) =>
        (document) =>
          Array.from(query + document, () => 1),
    },
  };

  test('sends the scores, then the counters', async () => {
    workerOf({ ranker }).rank(command);
    await idle();
    const vectors = events.flatMap((event) => (event.type === 'embedded' ? event.vectors : []));
    const scores = vectors.map(({ index, vector }) => [index, Buffer.from(vector, 'base64').readFloatLE()]);
    expect(scores.toSorted()).toEqual([
      [0, 5],
      [1, 7],
    ]);
    const counters = { documentsRanked: 2, rankTokensEvaluated: 12, rankPasses: 1, textsEmbedded: 0 };
    expect(events.at(-1)).toMatchObject({ type: 'counters', counters });
  });

  test('a canceled request gets no event', async () => {
    const worker = workerOf({ ranker });
    worker.rank(command);
    worker.cancel(1);
    await idle();
    expect(events.map(({ type }) => type)).toEqual(['counters']);
  });

  test.each([
    ['another model', {}, 'the model is not a reranker and cannot rank'],
    [
      'a model loaded with vocab_only',
      { embedContext: undefined },
      'the model was loaded with vocab_only and cannot rank',
    ],
  ])('%s cannot', (_, overrides, message) => {
    workerOf(overrides).rank(command);
    expect(events).toEqual([{ type: 'failed', id: 1, code: 'bad_request', message }]);
  });
});

describe('tokens', () => {
  test('are counted, listed and turned back into text', () => {
    const worker = workerOf();
    worker.count({ type: 'count', id: 1, text: 'four' });
    worker.tokenize({ type: 'tokenize', id: 2, text: 'ab', addSpecial: true });
    worker.detokenize({ type: 'detokenize', id: 3, tokens: [0x61, 0x62] });
    expect(events).toEqual([
      { type: 'counted', id: 1, tokens: 4 },
      { type: 'tokenized', id: 2, tokens: [0x61, 0x62] },
      { type: 'detokenized', id: 3, text: 'ab' },
    ]);
  });

  test('a number that is not a token fails', () => {
    workerOf().detokenize({ type: 'detokenize', id: 1, tokens: [0x61, 999] });
    expect(events).toMatchObject([
      { type: 'failed', id: 1, code: 'bad_request', message: '999 is not a token of this model' },
    ]);
  });

  test('a tokenizer that throws fails the request, not the process', () => {
    const worker = workerOf();
    worker.count({ type: 'count', id: 1, text: 'ünicode' });
    worker.tokenize({ type: 'tokenize', id: 2, text: 'ünicode', addSpecial: false });
    expect(events).toEqual(
      [1, 2].map((id) => ({ type: 'failed', id, code: 'request_failed', message: 'the text is not ASCII' })),
    );
  });
});

describe('the command handler', () => {
  const load = { type: 'load', prefixCacheBytes: 0 } as LoadCommand;

  test('ignores requests before the model is loaded', () => {
    const { handle } = createCommandHandler({ write, loadModel: async () => scriptedModel() });
    handle(generation(1, 'hi?'));
    handle({ type: 'count', id: 2, text: 'a' });
    handle({ type: 'cancel', id: 1 });
    expect(events).toEqual([]);
  });

  test('reports the load, then passes requests on', async () => {
    const loadModel = async (_: LoadCommand, { onMemory, onWarming }: LoadObserver): Promise<NativeModel> => {
      onMemory({ totalBytes: 0, deviceBytes: 0 });
      onMemory({ totalBytes: 10, deviceBytes: 4 });
      onWarming([]);
      return scriptedModel();
    };
    const { handle } = createCommandHandler({ write, loadModel });
    handle(load);
    await new Promise((resolve) => setImmediate(resolve));
    expect(events).toEqual([
      { type: 'memory', totalBytes: 10, deviceBytes: 4 },
      { type: 'warming', devices: [] },
      { type: 'loaded', ...info },
    ]);
    handle(generation(1, 'hi?'));
    handle({ type: 'embed', id: 2, texts: ['a'], truncate: true });
    handle({ type: 'tokenize', id: 3, text: 'a', addSpecial: false });
    handle({ type: 'detokenize', id: 4, tokens: [0x61] });
    handle({ type: 'count', id: 5, text: 'a' });
    handle(generation(6, 'long:'));
    handle({ type: 'cancel', id: 6 });
    await idle();
    const answered = events.slice(3).flatMap((event) => ('id' in event ? [`${event.type} ${event.id}`] : []));
    expect(answered.toSorted()).toEqual(
      ['started 1', 'done 1', 'embedded 2', 'tokenized 3', 'detokenized 4', 'counted 5'].toSorted(),
    );
  });

  test('reports a failed load', async () => {
    const loadModel = (): Promise<NativeModel> => Promise.reject(new Error('the file is damaged'));
    createCommandHandler({ write, loadModel }).handle(load);
    await new Promise((resolve) => setImmediate(resolve));
    expect(events).toEqual([{ type: 'load-failed', message: 'the file is damaged' }]);
  });
});

describe('while a GPU computes', () => {
  /** A worker to which something happens during its first wait. Also counts the tokens of each pass. */
  function workerOnGpu(onWait: (worker: Worker) => void): { readonly worker: Worker; readonly rows: number[] } {
    const scripted = scriptedModel({ hasDeviceMemory: true });
    const own = scripted.context as EngineContext;
    const rows: number[] = [];
    let waits = 0;
    const context: EngineContext = {
      ...own,
      decode(batch) {
        rows.push(batch.struct.n_tokens);
        return own.decode(batch);
      },
      logits(row) {
        if (waits++ === 0) setImmediate(() => onWait(worker));
        return own.logits(row);
      },
    };
    const worker = createWorker({ ...scripted, context }, { prefixCacheBytes: 0, write });
    return { worker, rows };
  }

  test('reads requests before it plans the next pass', async () => {
    const { worker, rows } = workerOnGpu((it) => it.generate(generation(2, 'hi?')));
    worker.generate(generation(1, 'hi?'));
    await idle();
    // The prompt of the first request, then the prompt of the other one, before the first has its second token.
    expect(rows.slice(0, 3)).toEqual([3, 3, 2]);
    expect([textOf(1), textOf(2)]).toEqual(['yes', 'yes']);
  });

  test('a request can be canceled', async () => {
    const { worker, rows } = workerOnGpu((it) => it.cancel(1));
    worker.generate(generation(1, 'hi?'));
    worker.generate(generation(2, 'hi?'));
    await idle();
    expect(rows.slice(0, 2)).toEqual([6, 1]);
    expect(events.filter(({ type }) => type === 'done')).toMatchObject([{ id: 2 }]);
    expect(textOf(2)).toBe('yes');
  });
});
