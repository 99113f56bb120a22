import { expect, test } from 'vitest';
import { createStderrTail } from './stderr-tail.ts';

test('lines are reported complete, whatever the chunks', () => {
  const lines: string[] = [];
  const tail = createStderrTail((line) => lines.push(line));
  for (const character of 'one\ntwo\nthr') tail.feed(character);
  expect(lines).toEqual(['one', 'two']);
});

test('the last line that names a cause is returned', () => {
  const tail = createStderrTail();
  tail.feed('error: first\nggml_abort: GGML_ASSERT(x) failed\nsome frame\nanother frame\n');
  expect(tail.lastError()).toBe('ggml_abort: GGML_ASSERT(x) failed');
});

test('a frame of the stack is not a cause', () => {
  const tail = createStderrTail();
  tail.feed('llama-vocab.cpp:1: GGML_ASSERT(x) failed\nlibggml-base.so(ggml_abort+0x152)[0x7fdd7df49f42]\n');
  expect(tail.lastError()).toBe('llama-vocab.cpp:1: GGML_ASSERT(x) failed');
});

test('a pass that was stopped is not a cause', () => {
  const tail = createStderrTail();
  tail.feed('set_abort_callback: call\nprocess_ubatch: failed to compute graph, compute status: 1\n');
  expect(tail.lastError()).toBeUndefined();
  tail.feed('process_ubatch: failed to compute graph, compute status: -2\n');
  expect(tail.lastError()).toContain('status: -2');
});

test('lines before a clear are not the cause of a later failure', () => {
  const tail = createStderrTail();
  tail.feed('warning: feature not supported\n');
  tail.clear();
  expect(tail.lastError()).toBeUndefined();
});

test('output without line breaks is bounded', () => {
  const tail = createStderrTail();
  for (let round = 0; round < 100; round++) tail.feed('x'.repeat(100_000));
  tail.feed('\nerror: at last\n');
  expect(tail.lastError()).toBe('error: at last');
});
