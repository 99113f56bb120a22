// Tokens that are chosen by the built threads, with llama.cpp's samplers.

import koffi from 'koffi';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/base/time/clock.ts';
import { noToken } from '../../src/inference/runner/generate/sampling/ahead/choice-board.ts';
import { type ChoiceJob, ChoicePool } from '../../src/inference/runner/generate/sampling/ahead/choice-pool.ts';
import { createChoiceMaker } from '../../src/inference/runner/generate/sampling/ahead/create-choice-maker.ts';
import { createCandidates } from '../../src/inference/runner/generate/sampling/candidates.ts';
import type { LlamaApi } from '../../src/inference/runner/llama/bindings/llama-api.ts';
import type { SamplerPointer } from '../../src/inference/runner/llama/bindings/pointers.ts';
import { findBackend } from '../../src/inference/runner/llama/find-backend.ts';
import { openBackend } from '../../src/inference/runner/llama/open-backend.ts';
import { createVocabulary } from '../../src/inference/runner/llama/vocabulary.ts';
import { randomNumbers } from '../support/models/random-numbers.ts';
import { pause } from '../support/processes.ts';
import { repository } from '../support/repository.ts';

const vocabularySize = 100_003;
const script = repository('dist/inference/runner/generate/sampling/ahead/choice-thread.js');

let api: LlamaApi;
beforeAll(() => {
  api = openBackend(findBackend('cpu'));
});

let pool: ChoicePool | undefined;
afterEach(() => pool?.stop());

/** The chosen tokens. */
function runAll(choices: ChoicePool, jobs: readonly ChoiceJob[]): readonly number[] {
  return choices.run(jobs.length, (index) => jobs[index]).map(({ token }) => token);
}

function createPool(threads: number, path = script): ChoicePool {
  pool = new ChoicePool({ api, script: path, threads, vocabularySize, clock: systemClock });
  return pool;
}

/** Logits of several rows in one buffer, as llama.cpp has them. */
function randomRows(count: number, size = vocabularySize): Float32Array[] {
  const next = randomNumbers(count);
  const buffer = new SharedArrayBuffer(count * size * 4);
  return Array.from({ length: count }, (_, row) => {
    const logits = new Float32Array(buffer, row * size * 4, size);
    for (let token = 0; token < size; token++) logits[token] = next() * 20 - 10;
    return logits;
  });
}

function createChain(k: number, seed: number): SamplerPointer {
  const chain = api.samplerChain();
  const samplers = k === 1 ? [api.samplerGreedy()] : [api.samplerTopK(k), api.samplerDistribution(seed)];
  for (const sampler of samplers) api.samplerChainAdd(chain, sampler);
  return chain;
}

/** A job for each row, with its own samplers. The same rows have the same seeds each time. */
function toJobs(rows: readonly Float32Array[]): ChoiceJob[] {
  return rows.map((logits, row) => {
    const k = [1, 40, 128][row % 3] as number;
    return { logits, k, chain: createChain(k, row) };
  });
}

function chooseAlone(jobs: readonly ChoiceJob[]): (number | undefined)[] {
  const candidates = createCandidates(api, vocabularySize);
  return jobs.map(({ logits, chain }) => {
    candidates.fill(logits);
    candidates.apply(chain);
    return candidates.selected();
  });
}

test.each([1, 3])('%d threads choose what one thread chooses, in every round', async (threads) => {
  const choicePool = createPool(threads);
  const rows = randomRows(12);
  const [together, alone] = [toJobs(rows), toJobs(rows)];
  // More rounds than the board has places. The threads start meanwhile.
  for (let round = 0; round < 20; round++) {
    expect(runAll(choicePool, together)).toEqual(chooseAlone(alone));
    if (round < 5) await pause(50);
  }
});

test('threads check choices against grammars, which accept those that they allow', async () => {
  const model = api.modelLoad(repository('models/ember-q4_k_m.gguf'), {
    ...api.modelDefaultParams(),
    vocab_only: true,
  });
  if (model === null) throw new Error('Ember could not be loaded');
  const { pointer, size } = createVocabulary(api, api.modelVocab(model));
  const masked = (rows: readonly Float32Array[]): ChoiceJob[] =>
    toJobs(rows).map((job) => ({
      ...job,
      mask: api.samplerGrammar(pointer, 'root ::= [a-zA-Z ]+', 'root') ?? undefined,
    }));
  const rows = randomRows(40, size);
  const [together, alone] = [masked(rows), masked(rows)];
  pool = new ChoicePool({ api, script, threads: 3, vocabularySize: size, clock: systemClock });
  const maker = createChoiceMaker(api, size, systemClock);
  const seen = new Set<string>();
  for (let round = 0; round < 8; round++) {
    const chosen = pool.run(together.length, (index) => together[index]);
    const expected = alone.map(({ logits, k, chain, mask }) => {
      const token = maker.choose(koffi.address(logits), k, chain) as number;
      return { token, verdict: maker.test(mask as SamplerPointer, token) };
    });
    expect(chosen.map(({ token, verdict }) => ({ token, verdict }))).toEqual(expected);
    for (const { verdict } of chosen) seen.add(verdict);
    if (round < 5) await pause(50);
  }
  expect(seen).toEqual(new Set(['accepted', 'rejected']));
});

test('a row without a possible token', () => {
  const rows = randomRows(6);
  rows[2]?.fill(Number.NEGATIVE_INFINITY);
  const chosen = runAll(
    createPool(1),
    rows.map((logits) => ({ logits, k: 1, chain: createChain(1, 0) })),
  );
  expect(chosen.map((token) => token === noToken)).toEqual([false, false, true, false, false, false]);
});

test('few rows are not worth a thread', () => {
  expect(runAll(createPool(1), toJobs(randomRows(2)))).toEqual([]);
});

test('threads that expect jobs at regular times', async () => {
  const choicePool = createPool(3);
  const rows = randomRows(6);
  const [together, alone] = [toJobs(rows), toJobs(rows)];
  for (let round = 0; round < 30; round++) {
    expect(runAll(choicePool, together)).toEqual(chooseAlone(alone));
    // A pass. The threads start during the first ones.
    await pause(round < 3 ? 50 : 5);
  }
  const before = process.cpuUsage();
  await pause(500);
  const { user, system } = process.cpuUsage(before);
  // No more jobs come, so they sleep. Three threads that went on looking would take all time of a processor.
  expect(user + system).toBeLessThan(250_000);
});

test('a row that has no job, and one that cannot be prepared', () => {
  const choices = createPool(1);
  const rows = randomRows(6);
  const [together, alone] = [toJobs(rows), toJobs(rows)];
  const failure = (index: number): ChoiceJob | undefined => {
    if (index === 4) throw new Error('no logits');
    return together[index];
  };
  expect(() => choices.run(6, failure)).toThrow('no logits');
  const chosen = choices.run(6, (index) => (index === 2 ? undefined : together[index]));
  expect(chosen.map(({ logits }) => rows.indexOf(logits))).toEqual([0, 1, 3, 4, 5]);
  expect(chosen.map(({ token }) => token)).toEqual(chooseAlone(alone.filter((_, index) => index !== 2)));
});

test('threads that do not start change nothing', async () => {
  const choicePool = createPool(2, `${script}.missing`);
  const rows = randomRows(6);
  const [together, alone] = [toJobs(rows), toJobs(rows)];
  expect(runAll(choicePool, together)).toEqual(chooseAlone(alone));
  await pause(100);
  expect(runAll(choicePool, together)).toEqual(chooseAlone(alone));
});
