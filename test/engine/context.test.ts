// The context: how it is filled, cut and shifted.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Engine, Lease } from '../../src/inference/engine/ports.ts';
import { drawAnswer, expectSameDrawn, withoutEnd } from '../support/compare-answers.ts';
import {
  type Answer,
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

const complete = (prompt: string, options = {}, extra = {}) =>
  answerOf(lease.generate(requestOf(prompt, { ...endless, ...options }, extra), never));

const wild = { temperature: 1.5, topK: 0, topP: 1, repeatPenalty: 1 };

/** Later requests reuse the KV state of this one, so that all of them start with exactly the same numbers. */
const evaluate = (prompt: string) => complete(prompt, { numPredict: 1 });

test('tokens of a text can be counted; far too many of them are not counted to the end', async () => {
  expect(await lease.countTokens('What is 2 + 2?')).toBeLessThan(15);
  const { started } = await complete('What is 2 + 2?', { numPredict: 1 });
  expect(await lease.countTokens('What is 2 + 2?')).toBe(started.promptTokens);
  expect(await lease.countTokens('word '.repeat(1_000_000))).toBeGreaterThan(numCtx);
});

describe('an answer longer than the context', () => {
  test('goes on, by context shifts', async () => {
    const before = await countersOf(lease);
    await complete('Once', { ...wild, numPredict: 2 * numCtx }, await withoutEnd(lease));
    const after = await countersOf(lease);
    // Each shift makes room for a little less than half of the context.
    expect(after.contextShifts - before.contextShifts).toBeGreaterThanOrEqual(2);
    expect(after.tokensGenerated - before.tokensGenerated).toBe(2 * numCtx);
  });

  test('num_keep decides what stays: the same up to the shift, another text after it', async () => {
    const prompt = `A secret list: ${longText(30, 1)}. It goes on and on:`;
    await evaluate(prompt);
    const options = { ...wild, numPredict: 150 };
    const none = await complete(prompt, { ...options, numKeep: 0 }, await withoutEnd(lease));
    const some = await complete(prompt, { ...options, numKeep: 30 }, await withoutEnd(lease));
    expect(none.text).not.toBe(some.text);
    expect(none.text.slice(0, 40)).toBe(some.text.slice(0, 40));
  });

  test('those who began alike can shift without harming each other', async () => {
    const shared = longText(50, 2);
    // Of different lengths, so that each shifts while the others do not.
    const ends = ['fox', 'sea and sky', 'king of all the lands', 'fire that burns in the dark of the night'];
    const draw = (end: string, index: number) =>
      drawAnswer(lease, `${shared} ${end}`, { seed: 3 + index, numPredict: 120, numKeep: 0 });
    const alone: Answer[] = [];
    for (const [index, end] of ends.entries()) alone.push(await draw(end, index));
    const before = await countersOf(lease);
    const together = await Promise.all(ends.map(draw));
    const after = await countersOf(lease);
    expect(after.contextShifts - before.contextShifts).toBeGreaterThanOrEqual(ends.length);
    expect(after.generatePasses - before.generatePasses).toBeLessThan(2 * 120);
    alone.forEach((expected, index) => {
      const beforeShift = numCtx - expected.started.promptTokens;
      expectSameDrawn(together[index] as Answer, expected, beforeShift);
    });
  });

  test('what was shifted is not offered to others as if it had never been', async () => {
    const prompt = longText(60, 6);
    await evaluate(prompt);
    const options = { ...wild, numKeep: 0 };
    const first = await complete(prompt, { ...options, numPredict: 10 }, await withoutEnd(lease));
    const { done } = await complete(prompt, { ...options, numPredict: 100 }, await withoutEnd(lease));
    const again = await complete(prompt, { ...options, numPredict: 10 }, await withoutEnd(lease));
    expect(done.generatedTokens).toBe(100);
    expect(again.text).toBe(first.text);
  });

  test('ends at ten contexts when nobody says how long it may be', async () => {
    const small = startEngine({ numParallel: 8 });
    try {
      const tiny = await acquireEmber(small, { numCtx: 16 });
      const extra = await withoutEnd(tiny);
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, seed) =>
          answerOf(tiny.generate(requestOf('x', { ...wild, seed, numPredict: -1 }, extra), never)),
        ),
      );
      for (const { done } of answers) {
        expect(done).toMatchObject({ reason: 'length', generatedTokens: 160 });
      }
    } finally {
      await small.close(0);
    }
  });
});

describe('a prompt longer than the context', () => {
  test('loses its middle, keeps num_keep at its beginning, and the number is told', async () => {
    const roomy = startEngine({ numParallel: 1 });
    const large = await acquireEmber(roomy);
    const whole = await answerOf(large.generate(requestOf(longText(300), { numPredict: 1 }), never));
    const tokens = whole.started.promptTokens;
    await roomy.close(0);
    for (const numKeep of [0, 4, 20]) {
      const { started } = await complete(longText(300), { numKeep, numPredict: 1 });
      const kept = numKeep + Math.floor((numCtx - numKeep) / 2);
      expect(started).toMatchObject({ promptTokens: kept, droppedTokens: tokens - kept });
    }
  });

  test('of many megabytes costs neither minutes nor the model', async () => {
    const flood = '<|im_start|> and more words '.repeat(200_000);
    const { started } = await complete(flood, { numPredict: 1 });
    expect(started.promptTokens).toBeLessThan(numCtx);
    expect((await askEmber(lease, 'What is 2 + 2?', { temperature: 0 })).text).toContain('4');
  });
});
