// Prediction heads with the real engine: an answer is the same with and without them, whether they are right or wrong, and
// whatever chooses its tokens.

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Engine, GenerateRequest, Lease } from '../../src/inference/engine/ports.ts';
import { type OptionValues, resolveOptions } from '../../src/models/options.ts';
import { writeTinyModel } from '../support/architectures/tiny-model.ts';
import { type Answer, answerOf, countersOf, never, requestOf, startEngine } from '../support/engine.ts';
import { familyModelWithHead, headFamilies } from '../support/families/head-family.ts';
import { openFamilyEngine } from '../support/families/tensor-shapes.ts';
import { excludedTokens } from '../support/families/write-family.ts';
import { type MarkovHead, type Transition, writeMarkovModel } from '../support/models/markov-model.ts';

const alphabet = 'abcdefghijklmnopqrstuvwxyz';
const folder = mkdtempSync(join(tmpdir(), 'hearth-head-'));
let engine: Engine;
beforeAll(() => {
  engine = startEngine({ numParallel: 3 });
});
afterAll(async () => {
  await engine.close(0);
  rmSync(folder, { recursive: true });
});

const placeOf = (byte: number): number => alphabet.indexOf(String.fromCharCode(byte));

/** Letters follow each other by a step, so that short texts repeat little. */
function steps(likely: (place: number) => number, other = 5): Transition {
  return (from, to) => {
    const [place, next] = [placeOf(from), placeOf(to)];
    if (next === -1) return -20;
    const distance = (next - place + alphabet.length) % alphabet.length;
    if (distance === likely(place)) return 10;
    return distance === other ? 8 : 2;
  };
}

const model = steps(() => 3);
const sure = (likely: (place: number) => number): Transition => {
  const usual = steps(likely, -1);
  return (from, to) => 2 * usual(from, to);
};
const heads = {
  'always right': sure(() => 3),
  'never right': sure(() => 7),
  'right half of the time': sure((place) => (place % 2 === 0 ? 3 : 7)),
};

function sourceOf(path: string) {
  const fileBytes = statSync(path).size;
  return { kind: 'local' as const, key: path, weightsPath: path, adapterPaths: [], fileBytes };
}

function acquire(name: string, head: MarkovHead, values: OptionValues = {}): Promise<Lease> {
  const path = join(folder, `${name}.gguf`);
  writeMarkovModel(path, model, { head });
  return engine.acquire({ name, source: sourceOf(path), options: resolveOptions(values).load }, never);
}

type Ask = (options: OptionValues, extra?: Partial<GenerateRequest>) => Promise<Answer>;
const askOf =
  (lease: Lease): Ask =>
  (options, extra = {}) =>
    answerOf(lease.generate(requestOf('abc', { numPredict: 120, seed: 7, ...options }, extra), never));

describe.each(Object.keys(heads) as (keyof typeof heads)[])('a head that is %s', (name) => {
  let lease: Lease;
  let ask: Ask;
  beforeAll(async () => {
    lease = await acquire(name, { transition: heads[name], sees: 'token' });
    ask = askOf(lease);
  });
  afterAll(() => lease.release());

  test.each<[string, OptionValues, Partial<GenerateRequest>]>([
    ['temperature 0', { temperature: 0 }, {}],
    ['temperature 1', { temperature: 1 }, {}],
    ['temperature 1.5', { temperature: 1.5, topK: 0, topP: 1 }, {}],
    ['all stages', { topK: 20, tfsZ: 0.99, typicalP: 0.99, topP: 0.95, minP: 0.01 }, {}],
    ['Mirostat', { mirostat: 2 }, {}],
    ['penalties', { repeatPenalty: 1.1, presencePenalty: 0.2 }, {}],
    ['a stop sequence', { temperature: 0, stop: ['xad'] }, {}],
    ['a grammar', {}, { grammar: 'root ::= [a-m] [n-z] root\n' }],
    ['log probabilities', {}, { topLogprobs: 2 }],
    ['a long prompt', { numCtx: 2048 }, { prompt: alphabet.repeat(30) }],
  ])('the answer is the same: %s', async (_, options, extra) => {
    const plain = await ask({ ...options, speculate: false }, extra);
    const drafted = await ask({ ...options, draftNumPredict: 4 }, extra);
    expect(drafted.text).toBe(plain.text);
    expect(drafted.done.generatedTokens).toBe(plain.done.generatedTokens);
    expect(drafted.done.modelDraftedTokens).toBeGreaterThan(0);
    expect(plain.done).not.toHaveProperty('draftedTokens');
  });

  test('as many tokens are accepted as are right', async () => {
    const { modelDraftedTokens: drafted = 0, modelAcceptedTokens: accepted = 0 } = (
      await ask({ temperature: 0, draftNumPredict: 2 })
    ).done;
    expect(drafted).toBeGreaterThan(20);
    const share = accepted / drafted;
    if (name === 'always right') expect(share).toBe(1);
    if (name === 'never right') expect(share).toBe(0);
    if (name === 'right half of the time') expect([share > 0.2, share < 0.8]).toEqual([true, true]);
  });
});

describe('a head that sees the hidden states of the model', () => {
  let lease: Lease;
  beforeAll(async () => {
    // The state is that of the token before the last one, so the next token is two steps away.
    lease = await acquire('states', { transition: sure(() => 6), sees: 'state' });
  });
  afterAll(() => lease.release());

  /** The draft after the first one has no state of the model, so that it is wrong. */
  const drafts = async (prompt: string, extra: OptionValues = {}): Promise<readonly [number, number]> => {
    const options = { temperature: 0, draftNumPredict: 1, numPredict: 20, ...extra };
    const { done } = await answerOf(lease.generate(requestOf(prompt, options), never));
    return [done.modelDraftedTokens ?? 0, done.modelAcceptedTokens ?? 0];
  };

  test('sees those of the right tokens', async () => {
    const [drafted, accepted] = await drafts('abc');
    expect(drafted).toBeGreaterThan(5);
    expect(accepted).toBe(drafted);
  });

  test('sees those after a long prompt, of which it keeps the end', async () => {
    const [drafted, accepted] = await drafts('adgjmpsvybehknqtwzcfilorux'.repeat(30), { numCtx: 2048 });
    expect(drafted).toBeGreaterThan(5);
    expect(accepted).toBe(drafted);
  });
});

describe('several requests', () => {
  let lease: Lease;
  beforeAll(async () => {
    lease = await acquire('together', { transition: heads['right half of the time'], sees: 'token' });
  });
  afterAll(() => lease.release());

  test('have the same answers together as alone, and draft when one of them is left', async () => {
    const ask = askOf(lease);
    const requests = [40, 80, 160].map((numPredict, index) => ({ numPredict, seed: index, temperature: 1 }));
    const alone: Answer[] = [];
    for (const options of requests) alone.push(await ask({ ...options, speculate: false }));
    const together = await Promise.all(requests.map((options) => ask({ ...options, draftNumPredict: 3 })));
    expect(together.map(({ text }) => text)).toEqual(alone.map(({ text }) => text));
    expect(together[2]?.done.modelDraftedTokens).toBeGreaterThan(0);
  });

  test('are counted', async () => {
    const before = await countersOf(lease);
    const { done } = await askOf(lease)({ temperature: 0, draftNumPredict: 3 });
    const after = await countersOf(lease);
    expect(after.tokensDrafted - before.tokensDrafted).toBe(done.draftedTokens);
    expect(after.generatePasses - before.generatePasses).toBe(119 - (done.acceptedTokens as number));
  });
});

test.each<[string, OptionValues]>([
  ['the option prediction_head', { predictionHead: false }],
  ['the option draft_num_predict', { draftNumPredict: 0 }],
  ['the option speculate', { speculate: false }],
])('%s switches a head off', async (_, values) => {
  const lease = await acquire('off', { transition: heads['always right'], sees: 'token' }, values);
  const { done } = await askOf(lease)({ temperature: 1, ...values });
  expect(done).not.toHaveProperty('modelDraftedTokens');
  lease.release();
});

// Random weights: the head is hardly ever right, so that almost every pass forgets drafts. Those with a recurrent state, too.
describe('the head of a tiny model', () => {
  const engineOnly = openFamilyEngine(folder);

  test.each(Object.keys(headFamilies))('%s', async (name) => {
    const path = join(folder, `${name}.gguf`);
    const tiny = familyModelWithHead(engineOnly, name);
    writeTinyModel(path, tiny);
    const logitBias = excludedTokens(tiny).map((token) => [token, -1e30] as const);
    const options = resolveOptions({ numCtx: 512, numThread: 1 }).load;
    const lease = await engine.acquire({ name, source: sourceOf(path), options }, never);
    const ask = (values: OptionValues): Promise<Answer> => {
      const greedy = { temperature: 0, repeatPenalty: 1, numPredict: 24, ...values };
      return answerOf(lease.generate(requestOf('The quick brown fox', greedy, { logitBias }), never));
    };
    const plain = await ask({ speculate: false });
    const drafted = await ask({ draftNumPredict: 3 });
    expect(drafted.text).toBe(plain.text);
    expect(drafted.done.modelDraftedTokens).toBeGreaterThan(0);
    lease.release();
  });
});
