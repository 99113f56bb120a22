import { expect, test } from 'vitest';
import { embedContextLine } from '../../protocol/messages.ts';
import { createStderrTail } from './stderr-tail.ts';

const mib = 2 ** 20;

test('buffers are added up, and those on a GPU apart, however the text is cut', () => {
  const log = [
    'load_tensors:   CPU_Mapped model buffer size =    28.00 MiB',
    'load_tensors:          AMX model buffer size =    33.00 MiB',
    'load_tensors:        CUDA0 model buffer size =   100.50 MiB',
    'llama_context:  CUDA_Host  output buffer size =     0.50 MiB',
    'llama_kv_cache:      CUDA0 KV buffer size =    16.00 MiB',
    'sched_reserve:      CUDA0 compute buffer size =    18.00 MiB',
    'llama_kv_cache: size =   16.00 MiB (  2048 cells)',
    '',
  ].join('\n');
  const tail = createStderrTail();
  for (const character of log) tail.feed(character);
  expect(tail.memory()).toEqual({ totalBytes: 196 * mib, deviceBytes: 134.5 * mib });
});

test('a context for embeddings that is made anew takes the place of the one before', () => {
  const tail = createStderrTail();
  const context = (size: number): string =>
    `${embedContextLine}\nllama_kv_cache:  CPU KV buffer size = ${size} MiB\nsched_reserve: CUDA0 compute buffer size = 1 MiB\n`;
  tail.feed('load_tensors:   CPU_Mapped model buffer size =    28.00 MiB\n');
  for (const size of [2, 4, 8]) tail.feed(context(size));
  expect(tail.memory()).toEqual({ totalBytes: 37 * mib, deviceBytes: mib });
});

test('the last line that sounds like a reason is the reason', () => {
  const tail = createStderrTail();
  tail.feed('error: first\nggml_abort: GGML_ASSERT(x) failed\nsome frame\nanother frame\n');
  expect(tail.lastError()).toBe('ggml_abort: GGML_ASSERT(x) failed');
});

test('what was forgiven is no reason later', () => {
  const tail = createStderrTail();
  tail.feed('warning: feature not supported\n');
  tail.forgive();
  expect(tail.lastError()).toBeUndefined();
});

test('a child that writes without end does not fill the memory', () => {
  const tail = createStderrTail();
  for (let turn = 0; turn < 100; turn++) tail.feed('x'.repeat(100_000));
  tail.feed('\nerror: at last\n');
  expect(tail.lastError()).toBe('error: at last');
});
