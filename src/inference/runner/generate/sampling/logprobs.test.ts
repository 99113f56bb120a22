import { describe, expect, test } from 'vitest';
import { toAnswerPiece } from '../text/answer-pieces.ts';
import { createLogprobLog, watchSampler } from './logprobs.ts';

const pieces = ['a', 'bc', 'é', ' '];
const vocabulary = { size: pieces.length, pieceOf: (token: number) => Buffer.from(pieces[token] as string) };
// Probabilities 0.5, 0.25, 0.125, 0.125.
const logits = Float32Array.from([4, 2, 1, 1], Math.log);
const answerPieceOf = (token: number) => toAnswerPiece(vocabulary.pieceOf(token));
const logOf = (top: number) => createLogprobLog(vocabulary, { top, pieceOf: answerPieceOf });
const bytesOf = (token: number) => [...vocabulary.pieceOf(token)];

describe('probabilities', () => {
  test('are those of the softmax, with the likeliest tokens in order', () => {
    const log = logOf(2);
    log.add(1, logits);
    const [entry] = log.take('bc');
    expect(entry?.bytes).toEqual(bytesOf(1));
    expect(entry?.logprob).toBeCloseTo(Math.log(0.25));
    expect(entry?.top.map(({ bytes }) => bytes)).toEqual([bytesOf(0), bytesOf(1)]);
    expect(entry?.top[0]?.logprob).toBeCloseTo(Math.log(0.5));
  });

  test('the number of likeliest tokens is limited by the request and the vocabulary', () => {
    const none = logOf(0);
    none.add(0, logits);
    expect(none.take('a')[0]?.top).toEqual([]);
    const all = logOf(20);
    all.add(0, logits);
    expect(all.take('a')[0]?.top).toHaveLength(4);
  });

  test('an impossible token has a finite value', () => {
    const log = logOf(1);
    log.add(0, Float32Array.from([Number.NEGATIVE_INFINITY, 1, 1, 1]));
    expect(log.take('a')[0]?.logprob).toBe(-9999);
  });

  test('penalties of the sampler do not change them', () => {
    const shared = logits.slice();
    const sampler = {
      observe: () => {},
      prepare: () => undefined,
      free: () => {},
      sample: () => shared.fill(0).length - 4,
    };
    const log = logOf(0);
    watchSampler(sampler, { logits: () => shared }, log).sample(0);
    expect(log.take('a')[0]?.logprob).toBeCloseTo(Math.log(0.5));
  });
});

describe('a token is reported', () => {
  test('when the first of its bytes is sent', () => {
    const log = logOf(0);
    for (const token of [0, 1, 2]) log.add(token, logits);
    expect(log.take('')).toEqual([]);
    expect(log.take('ab').map(({ bytes }) => bytes)).toEqual([bytesOf(0), bytesOf(1)]);
    expect(log.take('c')).toEqual([]);
    expect(log.take('é').map(({ bytes }) => bytes)).toEqual([bytesOf(2)]);
  });

  test('never, if a stop sequence has cut it off', () => {
    const log = logOf(0);
    for (const token of [0, 1]) log.add(token, logits);
    expect(log.take('a')).toHaveLength(1);
    expect(log.take('')).toEqual([]);
  });
});

test('a token without text is reported with the text after it', () => {
  const pieceOf = (token: number) => (token === 0 ? toAnswerPiece(Buffer.alloc(0)) : answerPieceOf(token));
  const log = createLogprobLog(vocabulary, { top: 0, pieceOf });
  for (const token of [0, 1, 3]) log.add(token, logits);
  expect(log.take('bc').map(({ bytes }) => bytes)).toEqual([0, 1].map(bytesOf));
  expect(log.take(' ').map(({ bytes }) => bytes)).toEqual([bytesOf(3)]);
});
