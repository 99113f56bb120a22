// The scan, and what llama.cpp's own samplers make of its tokens.

import { beforeAll, describe, expect, test } from 'vitest';
import { randomNumbers } from '../../../../../../test/support/models/random-numbers.ts';
import type { LlamaApi } from '../../../llama/bindings/llama-api.ts';
import { findBackend } from '../../../llama/find-backend.ts';
import { openBackend } from '../../../llama/open-backend.ts';
import { createCandidates } from '../candidates.ts';
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
