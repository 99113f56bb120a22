import { describe, expect, test } from 'vitest';
import { createLogprobLog, watchSampler } from './logprobs.ts';

const pieces = ['a', 'bc', 'é', ' '];
const vocabulary = { size: pieces.length, pieceOf: (token: number) => Buffer.from(pieces[token] as string) };
// Probabilities 0.5, 0.25, 0.125, 0.125.
const logits = Float32Array.from([4, 2, 1, 1], Math.log);
const bytesOf = (token: number) => [...vocabulary.pieceOf(token)];

describe('probabilities', () => {
  test('are those of the softmax, with the likeliest tokens in order', () => {
    const log = createLogprobLog(vocabulary, 2);
    log.add(1, logits);
    const [entry] = log.take('bc');
    expect(entry?.bytes).toEqual(bytesOf(1));
    expect(entry?.logprob).toBeCloseTo(Math.log(0.25));
    expect(entry?.top.map(({ bytes }) => bytes)).toEqual([bytesOf(0), bytesOf(1)]);
    expect(entry?.top[0]?.logprob).toBeCloseTo(Math.log(0.5));
  });

  test('the number of likeliest tokens is limited by the request and the vocabulary', () => {
    const none = createLogprobLog(vocabulary, 0);
    none.add(0, logits);
    expect(none.take('a')[0]?.top).toEqual([]);
    const all = createLogprobLog(vocabulary, 20);
    all.add(0, logits);
    expect(all.take('a')[0]?.top).toHaveLength(4);
  });

  test('an impossible token has a finite value', () => {
    const log = createLogprobLog(vocabulary, 1);
    log.add(0, Float32Array.from([Number.NEGATIVE_INFINITY, 1, 1, 1]));
    expect(log.take('a')[0]?.logprob).toBe(-9999);
  });

  test('penalties of the sampler do not change them', () => {
    const shared = logits.slice();
    const sampler = { observe: () => {}, free: () => {}, sample: () => shared.fill(0).length - 4 };
    const log = createLogprobLog(vocabulary, 0);
    watchSampler(sampler, { logits: () => shared }, log).sample(0);
    expect(log.take('a')[0]?.logprob).toBeCloseTo(Math.log(0.5));
  });
});

describe('a token is reported', () => {
  test('when the first of its bytes is sent', () => {
    const log = createLogprobLog(vocabulary, 0);
    for (const token of [0, 1, 2]) log.add(token, logits);
    expect(log.take('')).toEqual([]);
    expect(log.take('ab').map(({ bytes }) => bytes)).toEqual([bytesOf(0), bytesOf(1)]);
    expect(log.take('c')).toEqual([]);
    expect(log.take('é').map(({ bytes }) => bytes)).toEqual([bytesOf(2)]);
  });

  test('never, if a stop sequence has cut it off', () => {
    const log = createLogprobLog(vocabulary, 0);
    for (const token of [0, 1]) log.add(token, logits);
    expect(log.take('a')).toHaveLength(1);
    expect(log.take('')).toEqual([]);
  });
});
