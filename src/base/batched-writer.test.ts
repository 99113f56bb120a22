import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createBatchedWriter } from './batched-writer.ts';

test('texts of one turn are one write, in their order', async () => {
  const written: string[] = [];
  const { write } = createBatchedWriter((text) => written.push(text));
  write('one\n');
  await Promise.resolve();
  write('two\n');
  expect(written).toEqual([]);
  await setImmediate();
  write('three\n');
  await setImmediate();
  expect(written).toEqual(['one\ntwo\n', 'three\n']);
});

test('a flush writes at once, and only once', async () => {
  const written: string[] = [];
  const { write, flush } = createBatchedWriter((text) => written.push(text));
  write('one\n');
  flush();
  flush();
  await setImmediate();
  expect(written).toEqual(['one\n']);
});

test('texts that are long together do not wait', () => {
  const written: string[] = [];
  const { write } = createBatchedWriter((text) => written.push(text));
  for (let line = 0; line < 3; line++) write('x'.repeat(40_000));
  expect(written.map((text) => text.length)).toEqual([80_000]);
});
