// Continuous batching: requests join and leave a running batch.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDeferred } from '../../src/base/deferred.ts';
import type { Engine, Lease } from '../../src/inference/engine/ports.ts';
import { chatml } from '../support/client.ts';
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

let engine: Engine;
let lease: Lease;
beforeAll(async () => {
  engine = startEngine();
  lease = await acquireEmber(engine);
});
afterAll(() => engine.close(0));

const endless = { temperature: 1, repeatPenalty: 1.3, numPredict: 400, seed: 5 };

/** A long answer: `begun` resolves with its first text, `over` at its end. */
function longAnswer(onText: () => void = () => {}): { readonly begun: Promise<void>; readonly over: Promise<void> } {
  const begun = createDeferred<void>();
  const read = async (): Promise<void> => {
    for await (const { type } of lease.generate(requestOf('Once upon a time', endless), never)) {
      if (type !== 'text') continue;
      begun.resolve();
      onText();
    }
  };
  return { begun: begun.promise, over: read() };
}

test('a later request can finish earlier: requests do not wait for a batch to end', async () => {
  const order: string[] = [];
  const { begun, over } = longAnswer();
  const long = over.then(() => order.push('long'));
  await begun;
  await askEmber(lease, 'What is 2 + 2?', { temperature: 0 }).then(() => order.push('short'));
  await long;
  expect(order).toEqual(['short', 'long']);
});

test('running streams continue while a long prompt is evaluated', async () => {
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
  // 1,400 tokens in parts of at most 128 take more than ten steps.
  expect(piecesMeanwhile).toBeGreaterThanOrEqual(5);
});

describe('the text of a request does not depend on concurrent requests', () => {
  const questions = [
    'Why is the sky blue?',
    'Who are you?',
    'Tell me a story about a fox.',
    'What is 23 + 19?',
    'Name three colours.',
    'Write a poem.',
    'What is the capital of France?',
    'Tell me a story about the sea.',
  ];

  test.each([
    ['greedy sampling', { temperature: 0 }],
    ['a seed', { temperature: 0.8, seed: 7 }],
  ])('alone or with seven others, with %s', async (_, options) => {
    const alone: string[] = [];
    for (const question of questions) alone.push((await askEmber(lease, question, options)).text);
    const together = await Promise.all(questions.map((question) => askEmber(lease, question, options)));
    expect(together.map(({ text }) => text)).toEqual(alone);
  });

  test('a prompt is complete even if another answer ends in the step that evaluates it', async () => {
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
      [1, 2, 3, 1].map((seed) => askEmber(lease, 'Tell me a story.', { temperature: 1.2, seed })),
    );
    const [a, b, c, again] = answers.map(({ text }) => text);
    expect(new Set([a, b, c]).size).toBe(3);
    expect(again).toBe(a);
  });
});

test('the stop sequence that ends an answer is reported', async () => {
  const options = { temperature: 0, numPredict: 20 };
  const complete = await askEmber(lease, 'Tell me a story about a fox.', options);
  expect(complete.done).not.toHaveProperty('stopSequence');
  // It spans tokens: a word, its space and the beginning of the next word.
  const stop = complete.text.slice(8, 16);
  const stopped = await askEmber(lease, 'Tell me a story about a fox.', { ...options, stop: ['never said', stop] });
  expect(stopped.text).toBe(complete.text.slice(0, complete.text.indexOf(stop)));
  expect(stopped.done).toMatchObject({ reason: 'stop', stopSequence: stop });
});

describe('prefixes', () => {
  test('a repeated prompt is not evaluated again', async () => {
    const prompt = longText(1000, 2);
    const first = await answerOf(lease.generate(requestOf(prompt, { numPredict: 2 }), never));
    const second = await answerOf(lease.generate(requestOf(prompt, { numPredict: 2 }), never));
    expect(first.started.cachedTokens).toBe(0);
    expect(second.started.cachedTokens).toBe(second.started.promptTokens - 1);
  });

  test('answers are cached: the next turn of a conversation evaluates only new tokens', async () => {
    const question = chatml(`Here is a list of words: ${longText(100, 8)}. Tell me a story.`);
    const first = await answerOf(lease.generate(requestOf(question, { temperature: 0 }, { wantContext: true }), never));
    const next = requestOf(
      chatml('And then?'),
      { temperature: 0, numPredict: 3 },
      { context: first.done.context ?? [] },
    );
    const second = await answerOf(lease.generate(next, never));
    const conversation = first.started.promptTokens + first.done.stats.generatedTokens;
    // The last token of an answer was sampled but not evaluated.
    expect(second.started.cachedTokens).toBeGreaterThanOrEqual(conversation - 1);
  });

  test('eight requests with a common prefix of 1,000 tokens evaluate it once', async () => {
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

  test('prefix sharing does not change the answers', async () => {
    const shared = longText(300, 4);
    const ask = (end: string) =>
      answerOf(lease.generate(requestOf(`${shared} ${end}`, { temperature: 0, numPredict: 20 }), never));
    const alone = [await ask('fox'), await ask('river')].map(({ text }) => text);
    const together = (await Promise.all([ask('fox'), ask('river')])).map(({ text }) => text);
    expect(together).toEqual(alone);
  });
});

describe('a canceled request', () => {
  test('frees its slot within a step, also during a long prompt', async () => {
    const single = startEngine({ numParallel: 1 });
    try {
      const only = await acquireEmber(single, { numBatch: 32 });
      await askEmber(only, 'Hi', { numPredict: 1 });
      const before = await countersOf(only);
      const controller = new AbortController();
      const long = answerOf(only.generate(requestOf(longText(1500, 5), { numPredict: 5 }), controller.signal));
      setTimeout(() => controller.abort(), 30);
      await expect(long).rejects.toMatchObject({ code: 'cancelled' });
      const { text } = await askEmber(only, 'What is 2 + 2?', { temperature: 0 });
      const after = await countersOf(only);
      expect(text).toContain('4');
      expect(after.promptTokensEvaluated - before.promptTokensEvaluated).toBeLessThan(1400);
    } finally {
      await single.close(0);
    }
  });

  test('stops generating', async () => {
    const before = await countersOf(lease);
    const controller = new AbortController();
    const events = lease.generate(requestOf('Once upon a time', { ...endless, numPredict: 4000 }), controller.signal);
    const leaveAtFirstText = async (): Promise<void> => {
      for await (const { type } of events) if (type === 'text') controller.abort();
    };
    await expect(leaveAtFirstText()).rejects.toMatchObject({ code: 'cancelled' });
    const after = await countersOf(lease);
    expect(after.tokensGenerated - before.tokensGenerated).toBeLessThan(1000);
  });

  test('never starts if it was canceled before', async () => {
    const before = await countersOf(lease);
    const controller = new AbortController();
    controller.abort();
    await expect(askEmber(lease, 'Hi', {}, controller.signal)).rejects.toMatchObject({ code: 'cancelled' });
    await askEmber(lease, 'Hi', { numPredict: 1 });
    expect((await countersOf(lease)).tokensGenerated - before.tokensGenerated).toBe(1);
  });
});

test('more requests than slots: all are answered', async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      askEmber(lease, `What is ${index} + 1?`, { temperature: 0, numPredict: 12 }),
    ),
  );
  expect(answers.every(({ text }) => text !== '')).toBe(true);
});

test('above the queue limit, a request is refused at once with the documented text', async () => {
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
