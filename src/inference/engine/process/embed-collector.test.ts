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

test('parts in any order become vectors in the order of the texts', async () => {
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

test('no texts, no vectors', async () => {
  const collector = createEmbedCollector(0);
  expect(collector.complete).toBe(true);
  expect(await collector.embeddings).toEqual({ vectors: [], tokens: [] });
});

test.each([
  ['a text that is not there', embedded([2, 1, 1])],
  ['one text twice', embedded([0, 1, 1], [0, 1, 1])],
  ['vectors of different lengths', embedded([0, 1, 1], [1, 1, 1, 2])],
])('%s cannot come', (_, event) => {
  expect(createEmbedCollector(2).accept(event)).toBe(false);
});

test('a failure is the last word', async () => {
  const collector = createEmbedCollector(2);
  const refused = expect(collector.embeddings).rejects.toMatchObject({ code: 'bad_request', message: 'too long' });
  expect(collector.accept({ type: 'failed', id: 1, code: 'bad_request', message: 'too long' })).toBe(true);
  expect(collector.complete).toBe(true);
  await refused;
  expect(collector.accept(embedded([0, 1, 1]))).toBe(false);
});

test('given up, it is not complete: the runner has to be told', async () => {
  const collector = createEmbedCollector(1);
  const refused = expect(collector.embeddings).rejects.toMatchObject({ code: 'cancelled' });
  collector.abandon(new HearthError('cancelled', 'request canceled'));
  await refused;
  expect(collector.complete).toBe(false);
});
