// Every kind of memory that llama.cpp has for a sequence: prefixes are shared, several requests run at once, and answers
// are the same as without a prefix cache, token by token.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Engine, Lease } from '../../src/inference/engine/ports.ts';
import { type OptionValues, resolveOptions } from '../../src/models/options.ts';
import { expectSameUnquantized } from '../support/compare-answers.ts';
import { type Answer, answerOf, longText, never, requestOf, startEngine } from '../support/engine.ts';
import { endTokens, type MemoryModel, memoryModels, writeMemoryModel } from '../support/models/tiny-memories.ts';

let folder: string;
let cached: Engine;
let uncached: Engine;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hearth-memories-'));
  for (const model of memoryModels) writeMemoryModel(join(folder, `${model}.gguf`), model);
  cached = startEngine({ numParallel: 4, build: 'cpu' });
  uncached = startEngine({ numParallel: 4, build: 'cpu', prefixCacheBytes: 0 });
});
afterAll(async () => {
  await Promise.all([cached.close(0), uncached.close(0)]);
  rmSync(folder, { recursive: true });
});

const leases: Lease[] = [];
afterEach(() => {
  for (const lease of leases.splice(0)) lease.release();
});

const acquire = async (engine: Engine, model: MemoryModel, numCtx = 2048): Promise<Lease> => {
  const weightsPath = join(folder, `${model}.gguf`);
  const source = { kind: 'local', key: model, weightsPath, adapterPaths: [], fileBytes: 0 } as const;
  const lease = await engine.acquire(
    { name: model, source, options: resolveOptions({ numCtx, numThread: 1 }).load },
    never,
  );
  leases.push(lease);
  return lease;
};

const turn = (role: string, text: string): string => `<|im_start|>${role}\n${text}<|im_end|>\n`;
const answerHeader = '<|im_start|>assistant\n';
const system = turn('system', longText(60, 1));
const question = (variant: number): string => turn('user', longText(20, variant));

const greedy = { temperature: 0, repeatPenalty: 1, numPredict: 24 };
const endless = { temperature: 2, topK: 0, topP: 1, seed: 3, numPredict: 200 };

/** Answers do not end by themselves. */
const complete = (lease: Lease, prompt: string, options: OptionValues = greedy): Promise<Answer> => {
  const logitBias = endTokens.map((token) => [token, -1e30] as const);
  return answerOf(lease.generate(requestOf(prompt, options, { topLogprobs: 2, logitBias }), never));
};

describe.each(memoryModels)('%s', (model) => {
  test('a conversation reuses its turns, and its answers are the same as without', async () => {
    const [lease, plain] = [await acquire(cached, model), await acquire(uncached, model)];
    let conversation = system + question(1);
    const reused: number[] = [];
    for (const next of [2, 3, 4]) {
      const prompt = conversation + answerHeader;
      const answer = await complete(lease, prompt);
      expectSameUnquantized(answer, await complete(plain, prompt));
      reused.push(answer.started.cachedTokens);
      // As a client that removes thinking would send it: the answer is not as it was.
      conversation += turn('assistant', `Answer ${next}`) + question(next);
    }
    const beginning = await lease.tokenize(system + question(1), { addSpecial: true });
    expect(reused[0]).toBe(0);
    expect(reused[1]).toBeGreaterThanOrEqual(beginning.length);
    expect(reused[2]).toBeGreaterThan(reused[1] as number);
  });

  test('a turn repeats the answer before it as it was, changes it, or changes its header', async () => {
    const [lease, plain] = [await acquire(cached, model), await acquire(uncached, model)];
    const repeat = (prompt: string, text: string): string => `${prompt}${text}<|im_end|>\n`;
    const change = (prompt: string): string => `${prompt}Changed<|im_end|>\n`;
    const changeHeader = (prompt: string, text: string): string => `${prompt.slice(0, -1)}:\n${text}<|im_end|>\n`;
    let prompt = turn('system', longText(50, 5)) + question(21) + answerHeader;
    const turns: Answer['started'][] = [];
    for (const [index, render] of [repeat, repeat, change, changeHeader, repeat, repeat].entries()) {
      const answer = await complete(lease, prompt);
      expectSameUnquantized(answer, await complete(plain, prompt));
      turns.push(answer.started);
      prompt = render(prompt, answer.text) + question(22 + index) + answerHeader;
    }
    const reused = turns.map(({ cachedTokens }) => cachedTokens);
    const lengths = turns.map(({ promptTokens }) => promptTokens);
    // The first prompt has a mark at its header, and the second one has shown that headers are repeated.
    expect(reused[1]).toBeGreaterThan((lengths[0] as number) - 2 * answerHeader.length);
    for (const index of [2, 3]) expect(reused[index]).toBeGreaterThanOrEqual(lengths[index - 1] as number);
    // The header before this turn was changed, so that it continues one turn earlier.
    expect(reused[4]).toBeGreaterThanOrEqual(lengths[2] as number);
    expect(reused[5]).toBeGreaterThan((lengths[4] as number) - 2 * answerHeader.length);
  });

  test('requests at once, with the same start and with others', async () => {
    const [lease, plain] = [await acquire(cached, model), await acquire(uncached, model)];
    const prompts = [11, 12, 13, 14].map(
      (variant) => `${turn('system', longText(50, variant % 2))}${question(variant)}${answerHeader}`,
    );
    const expected: Answer[] = [];
    for (const prompt of prompts) expected.push(await complete(plain, prompt));
    const together = await Promise.all(prompts.map((prompt) => complete(lease, prompt)));
    together.forEach((answer, index) => {
      expectSameUnquantized(answer, expected[index] as Answer);
    });
    expect(together.filter(({ started }) => started.cachedTokens > 0).length).toBeGreaterThanOrEqual(2);
    const again = await Promise.all(prompts.map((prompt) => complete(lease, prompt)));
    again.forEach((answer, index) => {
      expectSameUnquantized(answer, expected[index] as Answer);
      expect(answer.started.cachedTokens).toBeGreaterThan(answer.started.promptTokens - 40);
    });
  });

  test('an answer that fills the context ends, or continues after a shift', async () => {
    const lease = await acquire(cached, model, 128);
    const { done, started } = await complete(lease, 'Once upon a time', endless);
    const shifts = model === 'attention' || model === 'windowed';
    const generatedTokens = shifts ? 200 : 128 - started.promptTokens + 1;
    expect(done).toMatchObject({ reason: 'length', generatedTokens });
  });
});
