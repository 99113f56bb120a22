import { expect, test } from 'vitest';
import { decodeAborted } from '../llama/abort-flag.ts';
import type { LlamaApi } from '../llama/bindings/llama-api.ts';
import type { ContextPointer } from '../llama/bindings/pointers.ts';
import type { BatchStruct } from '../llama/bindings/structs.ts';
import { adaptingThreads, createThreads } from './threads.ts';

const context = 1n as ContextPointer;
const batch = { n_tokens: 1 } as BatchStruct;

/** Passes return these results in turn. */
function setUp(results: readonly number[], limit = 4) {
  const calls: string[] = [];
  let threads = limit;
  let passes = 0;
  const own = adaptingThreads(
    {
      api: {
        decode: () => results[passes++] as number,
        contextFree: () => void calls.push('free'),
      },
      pools: { use: (_, count) => void calls.push(`use ${count}`), forget: () => void calls.push('forget pool') },
      governor: {
        get threads() {
          return threads;
        },
        begin() {},
        end: () => void calls.push('end'),
        giveWay() {
          threads--;
        },
      },
      guard: {
        run(_, { watched, decode }) {
          calls.push(watched ? 'watched' : 'not watched');
          return decode();
        },
        forget: () => void calls.push('forget times'),
      },
    },
    limit,
  );
  return { ...own, calls, undo: () => void calls.push('undo') };
}

test('a stopped pass is undone and repeated with fewer threads', () => {
  const { decode, calls, undo } = setUp([decodeAborted, decodeAborted, 0]);
  expect(decode(context, batch, { undo })).toBe(0);
  expect(calls).toEqual([
    ...['use 4', 'watched', 'undo'],
    ...['use 3', 'watched', 'undo'],
    ...['use 2', 'watched', 'end'],
  ]);
});

test('a pass with one thread is not repeated', () => {
  const { decode, calls, undo } = setUp([decodeAborted, decodeAborted], 2);
  expect(decode(context, batch, { undo })).toBe(decodeAborted);
  expect(calls).toEqual(['use 2', 'watched', 'undo', 'use 1', 'watched', 'end']);
});

test('a pass that cannot be undone is not watched', () => {
  const { decode, calls } = setUp([0]);
  expect(decode(context, batch)).toBe(0);
  expect(calls).toEqual(['use 4', 'not watched', 'end']);
});

test('a pass with a fixed number of threads is neither watched nor measured', () => {
  const { decode, calls, undo } = setUp([0]);
  expect(decode(context, batch, { fixed: true, undo })).toBe(0);
  expect(calls).toEqual(['use 4']);
});

test.each([1, -2])('the result %d is returned at once', (code) => {
  const { decode, calls, undo } = setUp([code]);
  expect(decode(context, batch, { undo })).toBe(code);
  expect(calls).not.toContain('undo');
});

test('a context that is freed is forgotten first', () => {
  const { free, calls } = setUp([]);
  free(context);
  expect(calls).toEqual(['forget times', 'forget pool', 'free']);
});

test('a model that GPUs compute has no pool of threads, which every pass would wake', () => {
  const calls: string[] = [];
  const note = (name: string, result?: unknown) => () => {
    calls.push(name);
    return result;
  };
  const api = {
    decode: note('decode', 0),
    contextFree: note('free'),
    threadpoolNew: note('new pool', null),
    attachThreadpool: note('attach'),
    setThreads: note('set threads'),
  } as unknown as LlamaApi;
  const options = { limit: 4, adapts: true, watchScript: '' };
  const { limit, decode, free } = createThreads(api, { ...options, onGpu: 'all' });
  expect([limit, decode(context, batch)]).toEqual([4, 0]);
  free(context);
  expect(calls).toEqual(['decode', 'free']);

  createThreads(api, { ...options, onGpu: 'part' }).decode(context, batch);
  expect(calls).toContain('new pool');
});
