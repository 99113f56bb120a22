// A pass that is stopped and repeated gives the logits of a pass that nothing has disturbed.

import koffi from 'koffi';
import { afterAll, afterEach, expect, test } from 'vitest';
import { bindAbortFlag, decodeAborted } from '../../src/inference/runner/llama/abort-flag.ts';
import { type BatchRow, createBatch } from '../../src/inference/runner/llama/batch.ts';
import type { Address, ContextPointer, ModelPointer } from '../../src/inference/runner/llama/bindings/pointers.ts';
import { createContext, type EngineContext } from '../../src/inference/runner/llama/context.ts';
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

const callbackType = koffi.pointer(koffi.proto('bool stop_callback(void *data)'));
let callbacks: bigint[] = [];
afterEach(() => {
  for (const callback of callbacks) koffi.unregister(callback);
  callbacks = [];
});

interface Plan {
  /** The operations of each pass after which it is stopped, one after another. */
  readonly stops: (pass: number) => readonly number[];
  /** Of the stopped attempts. A pass is completed by one thread. */
  readonly threads?: number;
}

/** The logits of all rows of each pass, its operations, and how often passes were stopped. */
function run(passes: readonly (readonly BatchRow[])[], { stops, threads = 1 }: Plan) {
  const size = { n_ctx: 1024, n_batch: 64, n_ubatch: 64, n_seq_max: 4 };
  const pointer = api.contextNew(model, { ...api.contextDefaultParams(), ...size }) as ContextPointer;
  let left = Number.POSITIVE_INFINITY;
  let done = 0;
  const callback = koffi.register(() => {
    done++;
    return left-- === 0;
  }, callbackType);
  callbacks.push(callback);
  api.setAbortCallback(pointer, callback as Address, new Uint8Array(2));
  let pass = 0;
  let stopped = 0;
  const operations: number[] = [];
  const context = createContext(api, pointer, {
    vocabularySize,
    memory: 'attention',
    threads: {
      limit: threads,
      decode(own, struct, { undo } = {}) {
        for (const stop of stops(pass++)) {
          left = stop;
          pools.use(own, threads);
          expect(api.decode(own, struct)).toBe(decodeAborted);
          stopped++;
          undo?.();
        }
        left = Number.POSITIVE_INFINITY;
        pools.use(own, 1);
        done = 0;
        const code = api.decode(own, struct);
        operations.push(done);
        return code;
      },
      free() {},
    },
  });
  const batch = createBatch(64);
  const logits = passes.map((rows) => decode(context, batch, rows));
  pools.forget(pointer);
  api.contextFree(pointer);
  return { logits, operations, stopped };
}

function decode(context: EngineContext, batch: ReturnType<typeof createBatch>, rows: readonly BatchRow[]) {
  batch.clear();
  for (const row of rows) batch.add(row);
  expect(context.decode(batch)).toBe('done');
  return rows.map((_, row) => context.logits(row).slice());
}

const rowsOf = (sequence: number, from: number, count: number): BatchRow[] =>
  Array.from({ length: count }, (_, index) => ({
    token: ((from + index) * 97 + sequence * 31) % vocabularySize,
    position: from + index,
    sequence,
    logits: true,
  }));

const alone = [rowsOf(0, 0, 12), rowsOf(0, 12, 1), rowsOf(0, 13, 1), rowsOf(0, 14, 5), rowsOf(0, 19, 1)];
// Sequences with different numbers of tokens: llama.cpp computes the batch in three parts, one after another.
const together = [
  [...rowsOf(0, 0, 9), ...rowsOf(1, 0, 3), ...rowsOf(3, 0, 5)],
  [...rowsOf(3, 5, 1), ...rowsOf(0, 9, 4), ...rowsOf(1, 3, 1)],
  [...rowsOf(0, 13, 1), ...rowsOf(1, 4, 1), ...rowsOf(3, 6, 1)],
  rowsOf(0, 14, 1),
];
const undisturbed: Plan = { stops: () => [] };

test.each([
  ['at the first operation', [0]],
  ['in the middle', [40]],
  ['several times', [70, 3, 25]],
])('one sequence, stopped %s', (_, stops) => {
  const actual = run(alone, { stops: () => stops });
  expect(actual.stopped).toBe(alone.length * stops.length);
  expect(actual.logits).toEqual(run(alone, undisturbed).logits);
});

test('several sequences, stopped in each part of the batch', () => {
  const { logits, operations } = run(together, undisturbed);
  const [, all = 0, , ofOnePart = 0] = operations;
  expect(all).toBeGreaterThan(2 * ofOnePart);
  for (const shares of [[0.1], [0.6], [0.95, 0.3], [0.3, 0.1, 0.8]]) {
    const stops = shares.map((share) => Math.floor(share * all));
    expect(run(together, { stops: (pass) => (pass === 1 ? stops : []) }).logits).toEqual(logits);
  }
});

test('two threads are stopped, and one completes the pass', () => {
  const passes = alone.slice(0, 3);
  const plan = { stops: (pass: number) => (pass === 1 ? [20] : []), threads: 2 };
  expect(run(passes, plan).logits).toEqual(run(passes, undisturbed).logits);
});

test('a flag in memory stops a pass, and without it the same pass is done', () => {
  const size = { n_ctx: 256, n_batch: 64, n_ubatch: 64, n_seq_max: 1 };
  const pointer = api.contextNew(model, { ...api.contextDefaultParams(), ...size }) as ContextPointer;
  pools.use(pointer, 1);
  const flag = new Uint8Array(new SharedArrayBuffer(2));
  bindAbortFlag(api)(pointer, flag);
  const batch = createBatch(8);
  for (const row of rowsOf(0, 0, 2)) batch.add(row);
  flag[0] = 1;
  expect(api.decode(pointer, batch.struct)).toBe(decodeAborted);
  flag[0] = 0;
  expect(api.decode(pointer, batch.struct)).toBe(0);
  pools.forget(pointer);
  api.contextFree(pointer);
});
