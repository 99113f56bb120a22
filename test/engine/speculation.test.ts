// Speculation with the real engine: an answer is the same with and without it, whatever chooses its tokens.

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Engine, GenerateRequest, Lease } from '../../src/inference/engine/ports.ts';
import { type OptionValues, resolveOptions } from '../../src/models/options.ts';
import { expectSameDrawn } from '../support/compare-answers.ts';
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
import { writeMarkovModel } from '../support/models/markov-model.ts';

const alphabet = 'abcdefghijklmnopqrstuvwxyz';
const numPredict = 200;

/** The next letter is likely, the one after it possible: a text that repeats the alphabet, with gaps. */
function transition(from: number, to: number): number {
  const [place, next] = [from, to].map((byte) => alphabet.indexOf(String.fromCharCode(byte))) as [number, number];
  if (next === -1) return -20;
  const distance = (next - place + alphabet.length) % alphabet.length;
  return ({ 1: 12, 2: 8 } as Record<number, number>)[distance] ?? 3;
}

function expectSame(actual: Answer, expected: Answer): void {
  expect(actual.text).toBe(expected.text);
  expect(actual.logprobs.length).toBe(expected.logprobs.length);
  expect(endOf(actual)).toEqual(endOf(expected));
}

interface Case {
  readonly options?: OptionValues;
  readonly extra?: Partial<GenerateRequest>;
}

describe('a model whose logits do not depend on rounding', () => {
  let folder: string;
  let engine: Engine;
  let lease: Lease;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'hearth-markov-'));
    const weightsPath = join(folder, 'markov.gguf');
    writeMarkovModel(weightsPath, transition);
    engine = startEngine({ numParallel: 1 });
    const source = {
      kind: 'local' as const,
      key: 'markov',
      weightsPath,
      adapterPaths: [],
      fileBytes: statSync(weightsPath).size,
    };
    lease = await engine.acquire({ name: 'markov', source, options: resolveOptions({}).load }, never);
  });
  afterAll(async () => {
    await engine.close(0);
    rmSync(folder, { recursive: true });
  });

  const ask = (speculate: boolean, { options = {}, extra = {} }: Case): Promise<Answer> => {
    const request = requestOf(alphabet.repeat(2), { numPredict, seed: 7, ...options, speculate }, extra);
    return answerOf(lease.generate(request, never));
  };

  test.each<[string, Case]>([
    ['the likeliest tokens', { options: { temperature: 0 } }],
    ['the default options', {}],
    ['a low temperature', { options: { temperature: 0.3 } }],
    ['a high temperature', { options: { temperature: 1.5, topK: 0, topP: 1 } }],
    ['all stages', { options: { topK: 20, tfsZ: 0.99, typicalP: 0.99, topP: 0.95, minP: 0.01 } }],
    ['Mirostat', { options: { mirostat: 1 } }],
    ['Mirostat 2', { options: { mirostat: 2, mirostatTau: 1 } }],
    ['penalties', { options: { repeatPenalty: 1.05, presencePenalty: 0.2, frequencyPenalty: 0.05 } }],
    ['a stop sequence', { options: { stop: ['mnopqrstuvwxyza'] } }],
    ['a small budget', { options: { numPredict: 61 } }],
    ['a grammar', { extra: { grammar: 'root ::= [a-f]+ "g" [h-r]+ "s" [t-z]+ root\n' } }],
    ['a bias', { extra: { logitBias: [['m'.charCodeAt(0), 2]] } }],
    ['log probabilities', { extra: { topLogprobs: 2 } }],
    ['the context', { extra: { wantContext: true } }],
    ['a prediction', { extra: { prediction: alphabet.repeat(8) } }],
    ['a wrong prediction', { extra: { prediction: `${alphabet}!`.repeat(8) } }],
  ])('has the same answer: %s', async (_, one) => {
    const actual = await ask(true, one);
    expectSame(actual, await ask(false, one));
    expect(actual.done.acceptedTokens).toBeGreaterThan(0);
  });

  test('repeats a predicted text in fewer passes, and counts its tokens', async () => {
    const answer = (prediction: string | undefined, speculate = true): Promise<Answer> => {
      const options = { numPredict, seed: 11, temperature: 0.8, speculate };
      return answerOf(lease.generate(requestOf('a', options, { prediction }), never));
    };
    const plain = await answer(undefined, false);
    // Every twentieth letter differs.
    const edited = plain.text.replace(/(.{19})./g, '$1-');
    const { text, done } = await answer(edited);
    expect(text).toBe(plain.text);
    expect(done.predictedAcceptedTokens).toBeGreaterThan(numPredict / 3);
    expect(done.predictedTokens).toBeGreaterThanOrEqual(done.predictedAcceptedTokens as number);
    const useless = await answer('-'.repeat(500));
    expect(useless.text).toBe(plain.text);
    expect(useless.done.predictedTokens).toBe(0);
    expect(plain.done).not.toHaveProperty('predictedTokens');
  });

  test('says that a prediction has no effect if the request does not speculate', async () => {
    const started = async (speculate: boolean): Promise<unknown> => {
      const request = requestOf('a', { numPredict: 1, speculate }, { prediction: 'b' });
      for await (const event of lease.generate(request, never)) if (event.type === 'started') return event.ignored;
      return 'not started';
    };
    expect(await started(false)).toEqual(['prediction']);
    expect(await started(true)).toBeUndefined();
  });

  test('has the same log probabilities', async () => {
    const one = { options: { temperature: 1 }, extra: { topLogprobs: 2 } };
    const [actual, expected] = [await ask(true, one), await ask(false, one)];
    for (const [index, { bytes, logprob }] of expected.logprobs.entries()) {
      expect(actual.logprobs[index]?.bytes).toEqual(bytes);
      expect(actual.logprobs[index]?.logprob).toBeCloseTo(logprob, 3);
    }
  });

  test('takes fewer passes, and counts drafted and accepted tokens', async () => {
    const greedy = { options: { temperature: 0 } };
    const before = await countersOf(lease);
    const { done } = await ask(true, greedy);
    const between = await countersOf(lease);
    const plain = await ask(false, greedy);
    const after = await countersOf(lease);
    const { draftedTokens = 0, acceptedTokens = 0 } = done;
    expect(acceptedTokens).toBeGreaterThan(numPredict / 2);
    expect(between.tokensDrafted - before.tokensDrafted).toBe(draftedTokens);
    expect(between.draftsAccepted - before.draftsAccepted).toBe(acceptedTokens);
    expect(between.generatePasses - before.generatePasses).toBe(numPredict - 1 - acceptedTokens);
    expect(after.generatePasses - between.generatePasses).toBe(numPredict - 1);
    expect(plain.done).not.toHaveProperty('draftedTokens');
  });
});

describe('Ember', () => {
  const line = 'The king walked to the river and asked the old fox for bread.\n';
  let engine: Engine;
  let lease: Lease;
  beforeAll(async () => {
    engine = startEngine({ numParallel: 1 });
    lease = await acquireEmber(engine);
  });
  afterAll(() => engine.close(0));

  /**
   * Two letters in turn after a long prompt: the bias excludes all others, and the penalty the last one. The second
   * letter leads by half of a penalty, far more than rounding can change.
   */
  const alternate = async (of: Lease, options: OptionValues = {}): Promise<Answer> => {
    const letters = await Promise.all(['x', 'y'].map((letter) => of.tokenize(letter, { addSpecial: false })));
    const logitBias = letters.map((tokens, index): [number, number] => [tokens.at(-1) as number, 5000 + 50 * index]);
    const limits = { temperature: 0, frequencyPenalty: 100, repeatLastN: -1, numPredict: 120 };
    const request = requestOf(line.repeat(45), { ...limits, ...options }, { logitBias, topLogprobs: 0 });
    return answerOf(of.generate(request, never));
  };

  test('gives the tokens of a long context the same probabilities, but for rounding', async () => {
    const [actual, expected] = [await alternate(lease), await alternate(lease, { speculate: false })];
    expect(actual.done.acceptedTokens).toBeGreaterThan(30);
    expectSameDrawn(actual, expected);
  });

  test('gives the same answer again to the same request with the same seed', async () => {
    const ask = (): Promise<Answer> => alternate(lease, { temperature: 12, seed: 3 });
    const answers: Answer[] = [];
    for (let answer = 0; answer < 8; answer++) answers.push(await ask());
    const [first, second] = answers.slice(-2) as [Answer, Answer];
    expect(answers.some(({ done }) => (done.draftedTokens ?? 0) > 0)).toBe(true);
    // Drafts depend on the costs of passes, which the first answers measure, and passes with other drafts round otherwise.
    expectSameDrawn(second, first);
    if (second.done.draftedTokens === first.done.draftedTokens) expect(second.logprobs).toEqual(first.logprobs);
  });

  test('drafts nothing if the server does not speculate', async () => {
    const off = startEngine({ numParallel: 1, speculation: false });
    try {
      const { done } = await alternate(await acquireEmber(off));
      expect(done).not.toHaveProperty('draftedTokens');
    } finally {
      await off.close(0);
    }
  });
});
