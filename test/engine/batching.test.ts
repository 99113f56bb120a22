// Many requests on one model: they join and leave a batch that never stops.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDeferred } from '../../src/base/deferred.ts';
import type { Engine, Lease } from '../../src/inference/engine/ports.ts';
import { chatml } from '../support/client.ts';
import { drawAnswer, expectSameDrawn, expectSameLikeliest, likeliestAnswer } from '../support/compare-answers.ts';
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

let engine: Engine;
let lease: Lease;
beforeAll(async () => {
  engine = startEngine();
  lease = await acquireEmber(engine);
});
afterAll(() => engine.close(0));

const endless = { temperature: 1, repeatPenalty: 1.3, numPredict: 400, seed: 5 };

/** A long answer that others may join: `begun` when its first words are there, `over` when it has ended. */
function longAnswer(onText: () => void = () => {}): { readonly begun: Promise<void>; readonly over: Promise<void> } {
  const begun = createDeferred<void>();
  const read = async (): Promise<void> => {
    for await (const { type } of lease.generate(requestOf('Once upon a time', endless), never)) {
      if (type !== 'tokens') continue;
      begun.resolve();
      onText();
    }
  };
  return { begun: begun.promise, over: read() };
}

test('a request that comes later can be done earlier: nobody waits for a batch to end', async () => {
  const order: string[] = [];
  const { begun, over } = longAnswer();
  const long = over.then(() => order.push('long'));
  await begun;
  await askEmber(lease, 'What is 2 + 2?', { temperature: 0 }).then(() => order.push('short'));
  await long;
  expect(order).toEqual(['short', 'long']);
});

test('while a long prompt is evaluated, running streams go on', async () => {
  let evaluating = false;
  let piecesMeanwhile = 0;
  const { begun, over } = longAnswer(() => {
    if (evaluating) piecesMeanwhile++;
  });
  await begun;
  for await (const { type } of lease.generate(requestOf(longText(1400, 1), { numPredict: 1 }), never)) {
    evaluating = type === 'started';
  }
  await over;
  // 1,400 tokens in parts of at most 128: there are ten steps in between.
  expect(piecesMeanwhile).toBeGreaterThanOrEqual(5);
});

describe('the answer to a request does not depend on the other requests', () => {
  const questions = [
    'Why is the sky blue?',
    'Who are you?',
    'Tell me a story about a fox.',
    'What is 23 + 19?',
    'Name three colours.',
    'Write a poem.',
    'What is the capital of France?',
    'Tell me a story about the sea.',
  ].map(chatml);

  async function expectSame(
    ask: (prompt: string, index: number) => Promise<Answer>,
    compare: (actual: Answer, expected: Answer) => void,
  ): Promise<void> {
    const alone: Answer[] = [];
    for (const [index, question] of questions.entries()) alone.push(await ask(question, index));
    const together = await Promise.all(questions.map(ask));
    alone.forEach((expected, index) => {
      compare(together[index] as Answer, expected);
    });
  }

  test('alone or among eight, with the likeliest tokens', () =>
    expectSame((question) => likeliestAnswer(lease, question, 80), expectSameLikeliest));

  test('alone or among eight, with a seed', () =>
    expectSame((question, index) => drawAnswer(lease, question, { seed: index, numPredict: 40 }), expectSameDrawn));

  test('a prompt is whole, also where another answer ends in the very step that evaluates it', async () => {
    for (let turn = 0; turn < 10; turn++) {
      const [, story] = await Promise.all([
        askEmber(lease, 'Who are you?', { numPredict: 1 }),
        askEmber(lease, 'Tell me a story about a fox.', { temperature: 0, numPredict: 14 }),
      ]);
      expect(story.text).toContain('fox');
    }
  });

  test('every request has its own seed and options', async () => {
    const answers = await Promise.all(
      [1, 2, 3, 1].map((seed) => drawAnswer(lease, chatml('Tell me a story.'), { seed, numPredict: 40 })),
    );
    const [a, b, c, again] = answers.map(({ text }) => text);
    expect(new Set([a, b, c]).size).toBe(3);
    expect(again).toBe(a);
  });
});

describe('prefixes', () => {
  test('a repeated prompt is not evaluated again', async () => {
    const prompt = longText(1000, 2);
    const first = await answerOf(lease.generate(requestOf(prompt, { numPredict: 2 }), never));
    const second = await answerOf(lease.generate(requestOf(prompt, { numPredict: 2 }), never));
    expect(first.started.cachedTokens).toBe(0);
    expect(second.started.cachedTokens).toBe(second.started.promptTokens - 1);
  });

  test('an answer is part of what is kept: the next turn of a conversation evaluates only what is new', async () => {
    const question = chatml(`Here is a list of words: ${longText(100, 8)}. Tell me a story.`);
    const first = await answerOf(lease.generate(requestOf(question, { temperature: 0 }, { wantContext: true }), never));
    const next = requestOf(
      chatml('And then?'),
      { temperature: 0, numPredict: 3 },
      { context: first.done.context ?? [] },
    );
    const second = await answerOf(lease.generate(next, never));
    const conversation = first.started.promptTokens + first.done.generatedTokens;
    // The very last token of an answer was chosen but never evaluated.
    expect(second.started.cachedTokens).toBeGreaterThanOrEqual(conversation - 1);
  });

  test('eight requests that begin with the same thousand tokens evaluate them once', async () => {
    const shared = longText(1000, 3);
    const before = await countersOf(lease);
    const ends = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];
    const answers = await Promise.all(
      ends.map((end) => answerOf(lease.generate(requestOf(`${shared} ${end} and`, { numPredict: 3 }), never))),
    );
    const after = await countersOf(lease);
    const prompts = answers.reduce((sum, { started }) => sum + started.promptTokens, 0);
    const evaluated = after.promptTokensEvaluated - before.promptTokensEvaluated;
    const reused = after.promptTokensCached - before.promptTokensCached;
    expect(prompts).toBeGreaterThan(8000);
    expect(evaluated).toBeLessThan(prompts / 8 + 100);
    expect(evaluated + reused).toBe(prompts);
  });

  test('sharing changes nothing about the answers', async () => {
    const shared = longText(300, 4);
    const ask = (end: string) => likeliestAnswer(lease, `${shared}${end}`, 20);
    const ends = ['. Once upon a time', '. One day a fox'] as const;
    const alone = [await ask(ends[0]), await ask(ends[1])] as const;
    const together = await Promise.all([ask(ends[0]), ask(ends[1])]);
    expectSameLikeliest(together[0], alone[0]);
    expectSameLikeliest(together[1], alone[1]);
  });
});

describe('whoever leaves', () => {
  test('frees the place within a step, also in the middle of a long prompt', async () => {
    const single = startEngine({ numParallel: 1 });
    try {
      const only = await acquireEmber(single, { numBatch: 32 });
      await askEmber(only, 'Hi', { numPredict: 1 });
      const before = await countersOf(only);
      const controller = new AbortController();
      const events = only.generate(requestOf(longText(1500, 5), { numPredict: 5 }), controller.signal);
      const leaveAtStart = async (): Promise<void> => {
        for await (const { type } of events) if (type === 'started') controller.abort();
      };
      await expect(leaveAtStart()).rejects.toMatchObject({ code: 'cancelled' });
      const { text } = await askEmber(only, 'What is 2 + 2?', { temperature: 0 });
      const after = await countersOf(only);
      expect(text).toContain('4');
      expect(after.promptTokensEvaluated - before.promptTokensEvaluated).toBeLessThan(1400);
    } finally {
      await single.close(0);
    }
  });

  test('while generating, ends the generation', async () => {
    const before = await countersOf(lease);
    const controller = new AbortController();
    const events = lease.generate(requestOf('Once upon a time', { ...endless, numPredict: 4000 }), controller.signal);
    const leaveAtFirstText = async (): Promise<void> => {
      for await (const { type } of events) if (type === 'tokens') controller.abort();
    };
    await expect(leaveAtFirstText()).rejects.toMatchObject({ code: 'cancelled' });
    const after = await countersOf(lease);
    expect(after.tokensGenerated - before.tokensGenerated).toBeLessThan(1000);
  });

  test('before it began, never begins', async () => {
    const before = await countersOf(lease);
    const controller = new AbortController();
    controller.abort();
    await expect(askEmber(lease, 'Hi', {}, controller.signal)).rejects.toMatchObject({ code: 'cancelled' });
    await askEmber(lease, 'Hi', { numPredict: 1 });
    expect((await countersOf(lease)).tokensGenerated - before.tokensGenerated).toBe(1);
  });
});

test('more requests than places: all are answered', async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      askEmber(lease, `What is ${index} + 1?`, { temperature: 0, numPredict: 12 }),
    ),
  );
  expect(answers.every(({ text }) => text !== '')).toBe(true);
});

test('over the limit of those who wait, a request is turned away at once with the documented text', async () => {
  const busy = startEngine({ numParallel: 1, maxQueue: 2 });
  try {
    const attempts = await Promise.allSettled([1, 2, 3].map(() => acquireEmber(busy)));
    expect(attempts.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect((attempts[2] as PromiseRejectedResult).reason).toMatchObject({
      code: 'busy',
      message: 'server busy, please try again.  maximum pending requests exceeded',
    });
  } finally {
    await busy.close(0);
  }
});
