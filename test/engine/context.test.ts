// The context: filling, truncation and shifts.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Engine, Lease } from '../../src/inference/engine/ports.ts';
import {
  acquireEmber,
  answerOf,
  askEmber,
  countersOf,
  longText,
  never,
  requestOf,
  startEngine,
} from '../support/engine.ts';

const numCtx = 96;
const endless = { temperature: 1.2, repeatPenalty: 1.2, seed: 11, numPredict: 300 };

let engine: Engine;
let lease: Lease;
beforeAll(async () => {
  engine = startEngine();
  lease = await acquireEmber(engine, { numCtx });
});
afterAll(() => engine.close(0));

const complete = (prompt: string, options = {}) =>
  answerOf(lease.generate(requestOf(prompt, { ...endless, ...options }), never));

// Random enough that answers are long.
const random = { temperature: 1.5, topK: 0, topP: 1, repeatPenalty: 1 };
/** A seed whose answer has at least this many tokens. */
async function seedOfLongAnswer(prompt: string, tokens: number, options = {}): Promise<number> {
  for (let seed = 1; seed <= 60; seed++) {
    const { done } = await complete(prompt, { ...random, ...options, seed, numPredict: tokens });
    if (done.stats.generatedTokens === tokens) return seed;
  }
  throw new Error('no answer was long enough');
}

test('tokens of a text are counted; a text that is far too long is not counted to the end', async () => {
  expect(await lease.countTokens('What is 2 + 2?')).toBeLessThan(15);
  const { started } = await complete('What is 2 + 2?', { numPredict: 1 });
  expect(await lease.countTokens('What is 2 + 2?')).toBe(started.promptTokens);
  expect(await lease.countTokens('word '.repeat(1_000_000))).toBeGreaterThan(numCtx);
});

describe('an answer longer than the context', () => {
  test('continues through context shifts', async () => {
    const seed = await seedOfLongAnswer('Once', 2 * numCtx);
    const before = await countersOf(lease);
    await complete('Once', { ...random, seed, numPredict: 2 * numCtx });
    const after = await countersOf(lease);
    // Each shift makes room for a little less than half of the context.
    expect(after.contextShifts - before.contextShifts).toBeGreaterThanOrEqual(2);
    expect(after.tokensGenerated - before.tokensGenerated).toBe(2 * numCtx);
  });

  test('num_keep decides what a shift keeps: the text is the same before it and differs after it', async () => {
    const prompt = `A secret list: ${longText(30, 1)}. It goes on and on:`;
    const seed = await seedOfLongAnswer(prompt, 150, { numKeep: 0 });
    const options = { ...random, seed, numPredict: 150 };
    const none = await complete(prompt, { ...options, numKeep: 0 });
    const some = await complete(prompt, { ...options, numKeep: 30 });
    expect(none.text).not.toBe(some.text);
    expect(none.text.slice(0, 40)).toBe(some.text.slice(0, 40));
  });

  test('requests with a common prefix shift independently', async () => {
    const shared = longText(50, 2);
    const options = { ...random, numPredict: 120, numKeep: 0, seed: 3 };
    const ends = ['fox', 'sea', 'king', 'fire'];
    const alone: string[] = [];
    for (const end of ends) alone.push((await complete(`${shared} ${end}`, options)).text);
    const together = await Promise.all(ends.map((end) => complete(`${shared} ${end}`, options)));
    expect(together.map(({ text }) => text)).toEqual(alone);
  });

  test('a shifted cache is not reused as a prefix', async () => {
    const prompt = longText(60, 6);
    const seed = await seedOfLongAnswer(prompt, 100, { numKeep: 0 });
    const options = { ...random, numKeep: 0, seed };
    const first = await complete(prompt, { ...options, numPredict: 10 });
    await complete(prompt, { ...options, numPredict: 100 });
    const repeated = await complete(prompt, { ...options, numPredict: 10 });
    expect(repeated.text).toBe(first.text);
  });

  test('without a limit ends after ten contexts', async () => {
    const small = startEngine({ numParallel: 8 });
    try {
      const tiny = await acquireEmber(small, { numCtx: 16 });
      const answers = await Promise.all(
        Array.from({ length: 60 }, (_, seed) =>
          answerOf(tiny.generate(requestOf('x', { ...random, seed, numPredict: -1 }), never)),
        ),
      );
      // Some answers end early by chance.
      const longest = answers.filter(({ done }) => done.reason === 'length');
      expect(longest.length).toBeGreaterThan(0);
      expect(new Set(longest.map(({ done }) => done.stats.generatedTokens))).toEqual(new Set([160]));
    } finally {
      await small.close(0);
    }
  });
});

describe('a prompt longer than the context', () => {
  test('loses its middle, keeps num_keep tokens at its start, and reports the number of dropped tokens', async () => {
    const roomy = startEngine({ numParallel: 1 });
    const large = await acquireEmber(roomy);
    const untruncated = await answerOf(large.generate(requestOf(longText(300), { numPredict: 1 }), never));
    const tokens = untruncated.started.promptTokens;
    await roomy.close(0);
    for (const numKeep of [0, 4, 20]) {
      const { started } = await complete(longText(300), { numKeep, numPredict: 1 });
      const kept = numKeep + Math.floor((numCtx - numKeep) / 2);
      expect(started).toMatchObject({ promptTokens: kept, droppedTokens: tokens - kept });
    }
  });

  test('of many megabytes is truncated quickly, and the model still works', async () => {
    const prompt = '<|im_start|> and more words '.repeat(200_000);
    const { started } = await complete(prompt, { numPredict: 1 });
    expect(started.promptTokens).toBeLessThan(numCtx);
    expect((await askEmber(lease, 'What is 2 + 2?', { temperature: 0 })).text).toContain('4');
  });
});
