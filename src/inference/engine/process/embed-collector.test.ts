import { expect, test } from 'vitest';
import { HearthError } from '../../../base/errors.ts';
import type { EmbeddedEvent } from '../../protocol/messages.ts';
import { createEmbedCollector } from './embed-collector.ts';

type Vector = readonly [index: number, tokens: number, ...values: number[]];

function embedded(...vectors: readonly Vector[]): EmbeddedEvent {
  return {
    type: 'embedded',
    id: 1,
    vectors: vectors.map(([index, tokens, ...values]) => ({
      index,
      tokens,
      vector: Buffer.from(Float32Array.from(values).buffer).toString('base64'),
    })),
  };
}

test('vectors that arrive in any order are returned in the order of the texts', async () => {
  let begun = 0;
  const collector = createEmbedCollector(3, () => begun++);
  expect(begun).toBe(0);
  expect(collector.accept(embedded([2, 7, 5, 6], [0, 3, 1, 2]))).toBe(true);
  expect(collector.complete).toBe(false);
  expect(collector.accept(embedded([1, 4, 3, -4.5]))).toBe(true);
  expect(collector.complete).toBe(true);
  expect(begun).toBe(1);
  expect(await collector.embeddings).toEqual({
    vectors: [Float32Array.of(1, 2), Float32Array.of(3, -4.5), Float32Array.of(5, 6)],
    tokens: [3, 4, 7],
  });
});

test('zero texts give zero vectors', async () => {
  const collector = createEmbedCollector(0);
  expect(collector.complete).toBe(true);
  expect(await collector.embeddings).toEqual({ vectors: [], tokens: [] });
});

test.each([
  ['an index out of range', embedded([2, 1, 1])],
  ['an index sent twice', embedded([0, 1, 1], [0, 1, 1])],
  ['vectors of different lengths', embedded([0, 1, 1], [1, 1, 1, 2])],
])('%s is rejected', (_, event) => {
  expect(createEmbedCollector(2).accept(event)).toBe(false);
});

test('no event is accepted after a failure', async () => {
  const collector = createEmbedCollector(2);
  const rejected = expect(collector.embeddings).rejects.toMatchObject({ code: 'bad_request', message: 'too long' });
  expect(collector.accept({ type: 'failed', id: 1, code: 'bad_request', message: 'too long' })).toBe(true);
  expect(collector.complete).toBe(true);
  await rejected;
  expect(collector.accept(embedded([0, 1, 1]))).toBe(false);
});

test('an aborted request is not complete: the runner must be told to cancel it', async () => {
  const collector = createEmbedCollector(1);
  const rejected = expect(collector.embeddings).rejects.toMatchObject({ code: 'cancelled' });
  collector.abort(new HearthError('cancelled', 'request canceled'));
  await rejected;
  expect(collector.complete).toBe(false);
});
