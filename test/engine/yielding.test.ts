// Answers that yield their slot to another client: what they receive is the same as without it.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Engine, GenerateRequest, Lease } from '../../src/inference/engine/ports.ts';
import type { OptionValues } from '../../src/models/options.ts';
import { chatml } from '../support/client.ts';
import { withoutEnd } from '../support/compare-answers.ts';
import {
  type Answer,
  acquireEmber,
  answerOf,
  countersOf,
  endOf,
  never,
  requestOf,
  startEngine,
} from '../support/engine.ts';

const numCtx = 64;
// A request yields every few tokens.
const slotTimeMs = 1;

interface Clients {
  readonly engine: Engine;
  readonly first: Lease;
  readonly second: Lease;
}

/** One slot, and two clients. */
async function startClients(settings: Parameters<typeof startEngine>[0] = {}): Promise<Clients> {
  const engine = startEngine({ numParallel: 1, slotTime: slotTimeMs, ...settings });
  const [first, second] = await Promise.all(['first', 'second'].map((name) => acquireEmber(engine, { numCtx }, name)));
  // A runner has counters after its first request.
  await answerOf((first as Lease).generate(requestOf('Hi', { numPredict: 1 }), never));
  return { engine, first: first as Lease, second: second as Lease };
}

let clients: Clients;
beforeAll(async () => {
  clients = await startClients();
});
afterAll(() => clients.engine.close(0));

// Shorter than a prefix that is reused: it is evaluated in the same way each time.
const prompt = chatml('Tell me a story.');
const base = {
  temperature: 1.2,
  topK: 0,
  topP: 1,
  repeatPenalty: 1.2,
  seed: 7,
  numPredict: 30,
} satisfies OptionValues;

/** The answer while the other client asks again and again, and how often slots were yielded meanwhile. */
async function interrupted(
  { first, second }: Clients,
  request: GenerateRequest,
  askOther = () =>
    answerOf(second.generate(requestOf(chatml('Hi'), { ...base, numPredict: 4 }), never)) as Promise<unknown>,
): Promise<{ answer: Answer; yields: number }> {
  const before = await countersOf(first);
  let over = false;
  const others = (async () => {
    while (!over) await askOther();
  })();
  const answer = await answerOf(first.generate(request, never)).finally(() => {
    over = true;
  });
  await others;
  return { answer, yields: (await countersOf(first)).slotsYielded - before.slotsYielded };
}

describe('an answer that is interrupted again and again is the same', () => {
  const digits = 'root ::= "[" [0-9] [0-9]? [0-9]? ("," [0-9] [0-9]? [0-9]?)* "]"';
  test.each<{ name: string; options?: OptionValues; extra?: Partial<GenerateRequest> }>([
    {
      name: 'with penalties and its context',
      options: { repeatLastN: -1, presencePenalty: 0.5, frequencyPenalty: 0.5 },
      extra: { wantContext: true },
    },
    {
      name: 'with the likeliest tokens and their probabilities',
      options: { temperature: 0 },
      extra: { topLogprobs: 3 },
    },
    { name: 'with mirostat', options: { mirostat: 1 } },
    { name: 'with mirostat 2', options: { mirostat: 2 } },
    { name: 'with a grammar', extra: { grammar: digits } },
  ])('$name', async ({ options = {}, extra = {} }) => {
    const request = requestOf(prompt, { ...base, ...options }, { ...(await withoutEnd(clients.first)), ...extra });
    const alone = await answerOf(clients.first.generate(request, never));
    const { answer, yields } = await interrupted(clients, request);
    expect(yields).toBeGreaterThan(0);
    expect(answer.text).toBe(alone.text);
    expect(answer.logprobs).toEqual(alone.logprobs);
    expect(endOf(answer)).toEqual(endOf(alone));
  });

  test('until a stop sequence', async () => {
    const ask = async (stop: string[]) => requestOf(prompt, { ...base, stop }, await withoutEnd(clients.first));
    const { text } = await answerOf(clients.first.generate(await ask([]), never));
    const stop = text.slice(-12, -6);
    const { answer, yields } = await interrupted(clients, await ask([stop]));
    expect(yields).toBeGreaterThan(0);
    expect(answer.text).toBe(text.slice(0, text.indexOf(stop)));
    expect(answer.done).toMatchObject({ reason: 'stop', stopSequence: stop });
  });

  test('across context shifts', async () => {
    const request = requestOf(prompt, { ...base, numPredict: 100 }, await withoutEnd(clients.first));
    const alone = await answerOf(clients.first.generate(request, never));
    const before = await countersOf(clients.first);
    const { answer, yields } = await interrupted(clients, request);
    const after = await countersOf(clients.first);
    expect(yields).toBeGreaterThan(0);
    expect(after.contextShifts - before.contextShifts).toBeGreaterThanOrEqual(2);
    expect(answer.text).toBe(alone.text);
  });

  test('with embeddings in between', async () => {
    const { first, second } = clients;
    const request = requestOf(prompt, base, await withoutEnd(first));
    const alone = await answerOf(first.generate(request, never));
    const { answer, yields } = await interrupted(clients, request, async () => {
      await second.embed({ texts: ['one text', 'another text '.repeat(5)], truncate: true }, never);
      await answerOf(second.generate(requestOf(chatml('Hi'), { ...base, numPredict: 4 }), never));
    });
    expect(yields).toBeGreaterThan(0);
    expect(answer.text).toBe(alone.text);
  });
});

test('without a prefix cache, tokens are evaluated again, and the answer is complete', async () => {
  const small = await startClients({ prefixCacheBytes: 0 });
  try {
    const request = requestOf(prompt, base, await withoutEnd(small.first));
    const before = await countersOf(small.first);
    const { answer, yields } = await interrupted(small, request);
    const after = await countersOf(small.first);
    expect(yields).toBeGreaterThan(0);
    expect(answer.done.generatedTokens).toBe(base.numPredict);
    expect(after.promptTokensEvaluated - before.promptTokensEvaluated).toBeGreaterThan(3 * base.numPredict);
  } finally {
    await small.engine.close(0);
  }
});

test('a paused answer can be canceled, and its slot time does not matter to its own client', async () => {
  const { first, second } = clients;
  const endless = requestOf(prompt, { ...base, numPredict: 5000 }, await withoutEnd(first));
  const controller = new AbortController();
  const canceled = answerOf(first.generate(endless, controller.signal));
  await answerOf(second.generate(requestOf(prompt, { ...base, numPredict: 5 }), never));
  controller.abort();
  await expect(canceled).rejects.toMatchObject({ code: 'cancelled' });
  const before = await countersOf(first);
  await Promise.all([1, 2].map(() => answerOf(first.generate(requestOf(prompt, base), never))));
  expect((await countersOf(first)).slotsYielded).toBe(before.slotsYielded);
});
