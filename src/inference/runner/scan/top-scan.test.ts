// The scan, and what llama.cpp's own samplers make of its tokens.

import { beforeAll, describe, expect, test } from 'vitest';
import { randomNumbers } from '../../../../test/support/models/random-numbers.ts';
import { createCandidates } from '../generate/sampling/candidates.ts';
import type { LlamaApi } from '../llama/bindings/llama-api.ts';
import { findBackend } from '../llama/find-backend.ts';
import { openBackend } from '../llama/open-backend.ts';
import { createTopScan } from './top-scan.ts';

// Not a multiple of a block.
const size = 5003;

function found(logits: readonly number[], k: number): number[] {
  const scan = createTopScan(logits.length);
  const count = scan.run(Float32Array.from(logits), k);
  return [...scan.tokens.subarray(0, count)];
}

describe('the tokens', () => {
  test('are the first k and those above the k-th largest logit before them', () => {
    expect(found([1, 0, 5, 0, 1, 2, 2, 9, 2], 2)).toEqual([0, 1, 2, 5, 7]);
  });

  test('are all of them in a vocabulary of less than k', () => {
    expect(found([3, 1, 2], 40)).toEqual([0, 1, 2]);
  });

  test.each([1, 15, 16, 17, 40])('are all of them for k = %d if the logits ascend', (k) => {
    const ascending = Array.from({ length: 100 }, (_, index) => index - 50);
    expect(found(ascending, k)).toEqual(ascending.map((logit) => logit + 50));
  });

  test('do not depend on the scan before', () => {
    const scan = createTopScan(40);
    scan.run(new Float32Array(40).fill(7), 20);
    const count = scan.run(new Float32Array(40), 2);
    expect([...scan.tokens.subarray(0, count)]).toEqual([0, 1]);
  });

  test('are only k again soon after a row of scans with equal logits', () => {
    const scan = createTopScan(size);
    const [k, next] = [20, randomNumbers(1)];
    const different = Float32Array.from({ length: size }, () => next());
    expect(scan.run(different, k)).toBe(k);
    for (let round = 0; round < 20; round++) expect(scan.run(new Float32Array(size), k)).toBeGreaterThanOrEqual(k);
    const counts = Array.from({ length: 32 }, () => scan.run(different, k));
    expect(counts[0]).toBeGreaterThan(k);
    expect(counts.slice(16)).toEqual(new Array<number>(16).fill(k));
  });

  test('that are impossible are not among them, except the first k', () => {
    expect(found(new Array<number>(50).fill(Number.NEGATIVE_INFINITY), 3)).toEqual([0, 1, 2]);
  });
});

describe('a sampler of llama.cpp', () => {
  let api: LlamaApi;
  beforeAll(() => {
    api = openBackend(findBackend('cpu'));
  });

  /** Draws a token by each of these logits. */
  function draw(logits: readonly Float32Array[], k: number, fillsAll: boolean): (number | undefined)[] {
    const candidates = createCandidates(api, size);
    const chain = api.samplerChain();
    const samplers = k === 1 ? [api.samplerGreedy()] : [api.samplerTopK(k), api.samplerDistribution(1)];
    for (const sampler of samplers) api.samplerChainAdd(chain, sampler);
    const tokens = logits.map((one) => {
      if (fillsAll) candidates.fill(one);
      else candidates.fillTop(one, k);
      candidates.apply(chain);
      return candidates.selected();
    });
    api.samplerFree(chain);
    return tokens;
  }

  test.each([1, 2, 40, 128])('chooses the same tokens for k = %d, also among equal logits', (k) => {
    const next = randomNumbers(k);
    // Steps of different sizes: from no equal logits to hardly any different ones.
    const logits = Array.from({ length: 200 }, (_, index) => {
      const step = [1e-6, 0.01, 0.5, 4][index % 4] as number;
      return Float32Array.from({ length: size }, () => Math.round((next() * 20 - 10) / step) * step);
    });
    const drawn = draw(logits, k, true);
    expect(draw(logits, k, false)).toEqual(drawn);
    expect(new Set(drawn).size).toBeGreaterThan(20);
  });
});

describe('logits that are all different', () => {
  const values = (seed: number, scale = 1): Float32Array => {
    const next = randomNumbers(seed);
    return Float32Array.from({ length: size }, () => (next() - 0.5) * scale);
  };
  const largest = (logits: Float32Array, k: number): number[] => {
    const order = Array.from(logits.keys()).sort((a, b) => (logits[b] as number) - (logits[a] as number));
    return order.slice(0, k).sort((a, b) => a - b);
  };
  const scan = createTopScan(size);
  const foundIn = (logits: Float32Array, k: number): number[] => [...scan.tokens.subarray(0, scan.run(logits, k))];

  test.each([8, 40, 128])('have only the %d largest ones found', (k) => {
    for (const seed of [1, 2, 3]) expect(foundIn(values(seed), k)).toEqual(largest(values(seed), k));
  });

  test('of a large vocabulary, which is searched in more parts', () => {
    const next = randomNumbers(8);
    const logits = Float32Array.from({ length: 130_001 }, next);
    const large = createTopScan(logits.length);
    expect([...large.tokens.subarray(0, large.run(logits, 40))]).toEqual(largest(logits, 40));
  });

  test('may all be negative, or tiny', () => {
    const negative = values(4).map((value) => value - 10);
    expect(foundIn(negative, 40)).toEqual(largest(negative, 40));
    const tiny = values(5, 1e-40);
    expect(new Set(tiny).size).toBeGreaterThan(size / 2);
    expect(foundIn(tiny, 40)).toEqual(expect.arrayContaining(largest(tiny, 40)));
  });

  test('may be close together, in one place', () => {
    const logits = values(6);
    for (let token = 3000; token < 3060; token++) logits[token] = 5 + token / 1000;
    expect(foundIn(logits, 40)).toEqual(largest(logits, 40));
  });

  test('may be impossible or undefined, except some', () => {
    const logits = new Float32Array(size).fill(Number.NEGATIVE_INFINITY);
    for (let token = 0; token < size; token += 20) logits[token] = token % 40 === 0 ? Number.NaN : token;
    expect(foundIn(logits, 40)).toEqual(
      largest(
        logits.map((value) => (value > 0 ? value : -1)),
        40,
      ),
    );
  });

  test('and that are zero or equal at the limit are found as before', () => {
    const logits = values(7).map((value) => Math.min(value, 0));
    const exact = createTopScan(4000);
    const part = logits.slice(0, 4000);
    expect(exact.run(part, 40)).toBeGreaterThan(0);
    expect(foundIn(logits, 40)).toEqual(expect.arrayContaining(Array.from({ length: 40 }, (_, token) => token)));
  });
});
