// A draft model with the real engine: an answer is the same with and without it, whatever chooses its tokens.

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Engine, GenerateRequest, Lease } from '../../src/inference/engine/ports.ts';
import { type OptionValues, resolveOptions } from '../../src/models/options.ts';
import { chatml } from '../support/client.ts';
import { expectSameLikeliest } from '../support/compare-answers.ts';
import { type Answer, acquireEmber, answerOf, emberSource, never, requestOf, startEngine } from '../support/engine.ts';
import { writeEmberF16 } from '../support/models/ember-f16.ts';
import { type Transition, writeMarkovModel } from '../support/models/markov-model.ts';
import { writeMemoryModel } from '../support/models/tiny-memories.ts';

const alphabet = 'abcdefghijklmnopqrstuvwxyz';
const folder = mkdtempSync(join(tmpdir(), 'hearth-draft-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Letters follow each other by a step that depends on the letter, so that short texts repeat little. */
function transition(likely: number, other: number): Transition {
  return (from, to) => {
    const [place, next] = [from, to].map((byte) => alphabet.indexOf(String.fromCharCode(byte))) as [number, number];
    if (next === -1) return -20;
    const distance = (next - place + alphabet.length) % alphabet.length;
    return ({ 3: likely, 5: other } as Record<number, number>)[distance] ?? 2;
  };
}

function sourceOf(weightsPath: string) {
  return {
    kind: 'local' as const,
    key: weightsPath,
    weightsPath,
    adapterPaths: [],
    fileBytes: statSync(weightsPath).size,
  };
}

function writeModel(name: string, of: Transition): string {
  const path = join(folder, name);
  writeMarkovModel(path, of);
  return path;
}

function acquire(engine: Engine, target: string, draft: string): Promise<Lease> {
  const source = sourceOf(target);
  return engine.acquire({ name: 'target', source, draft: sourceOf(draft), options: resolveOptions({}).load }, never);
}

describe('a draft model that is right most of the time', () => {
  let engine: Engine;
  let lease: Lease;
  beforeAll(async () => {
    engine = startEngine({ numParallel: 2 });
    const target = writeModel('target.gguf', transition(10, 8));
    lease = await acquire(engine, target, writeModel('draft.gguf', transition(12, 6)));
  });
  afterAll(() => engine.close(0));

  const ask = (options: OptionValues, extra: Partial<GenerateRequest> = {}): Promise<Answer> =>
    answerOf(lease.generate(requestOf('abc', { numPredict: 120, seed: 7, ...options }, extra), never));

  test.each<[string, OptionValues, Partial<GenerateRequest>]>([
    ['temperature 0', { temperature: 0 }, {}],
    ['temperature 1', { temperature: 1 }, {}],
    ['temperature 1.5', { temperature: 1.5, topK: 0, topP: 1 }, {}],
    ['another seed', { temperature: 1, seed: 11 }, {}],
    ['Mirostat', { mirostat: 2 }, {}],
    ['a penalty', { repeatPenalty: 1.1 }, {}],
    ['a stop sequence', { temperature: 0, stop: ['xad'] }, {}],
    ['a grammar', {}, { grammar: 'root ::= [a-m] [n-z] root\n' }],
  ])('the answer is the same: %s', async (_, options, extra) => {
    const plain = await ask({ ...options, speculate: false }, extra);
    const drafted = await ask({ ...options, draftNumPredict: 4 }, extra);
    expect(drafted.text).toBe(plain.text);
    expect(drafted.done.generatedTokens).toBe(plain.done.generatedTokens);
    expect(drafted.done.modelDraftedTokens).toBeGreaterThan(0);
    expect(plain.done).not.toHaveProperty('draftedTokens');
  });

  test('its tokens are accepted', async () => {
    const { modelDraftedTokens = 0, modelAcceptedTokens = 0 } = (await ask({ temperature: 0, draftNumPredict: 4 }))
      .done;
    expect(modelAcceptedTokens).toBe(modelDraftedTokens);
    expect(modelAcceptedTokens).toBeGreaterThan(10);
  });

  test('a request can switch it off', async () => {
    expect((await ask({ temperature: 1, draftNumPredict: 0 })).done).not.toHaveProperty('modelDraftedTokens');
  });

  test('without a number, the answer is the same too', async () => {
    const [drafted, plain] = [await ask({ temperature: 1 }), await ask({ temperature: 1, speculate: false })];
    expect(drafted.text).toBe(plain.text);
  });

  test('a long prompt is read in parts', async () => {
    const prompt = alphabet.repeat(60);
    const run = (options: OptionValues): Promise<Answer> =>
      answerOf(lease.generate(requestOf(prompt, { numPredict: 40, temperature: 1, seed: 3, ...options }), never));
    const drafted = await run({ draftNumPredict: 3 });
    expect(drafted.text).toBe((await run({ speculate: false })).text);
    expect(drafted.done.modelDraftedTokens).toBeGreaterThan(0);
  });
});

describe('Ember in F16 with Ember in Q4_K_M', () => {
  let engine: Engine;
  let lease: Lease;
  beforeAll(async () => {
    const path = join(folder, 'ember-f16.gguf');
    writeEmberF16(path);
    engine = startEngine({ numParallel: 1 });
    lease = await acquire(engine, path, emberSource.weightsPath);
  });
  afterAll(() => engine.close(0));

  test('the likeliest answer is the same but for rounding', async () => {
    const ask = (options: OptionValues): Promise<Answer> => {
      const limits = { temperature: 0, numPredict: 60, ...options };
      return answerOf(lease.generate(requestOf(chatml('Tell me about the sea.'), limits, { topLogprobs: 2 }), never));
    };
    const [drafted, plain] = [await ask({ draftNumPredict: 4 }), await ask({ speculate: false })];
    expectSameLikeliest(drafted, plain);
    expect(drafted.done.modelAcceptedTokens).toBeGreaterThan(0);
  });
});

describe('a model that cannot use a draft model', () => {
  test('another vocabulary', async () => {
    const engine = startEngine({ numParallel: 1 });
    try {
      const target = writeModel('own.gguf', transition(10, 8));
      const message = 'the draft model has another vocabulary. Set the option draft_model to "" to load';
      await expect(acquire(engine, target, emberSource.weightsPath)).rejects.toThrow(message);
    } finally {
      await engine.close(0);
    }
  });

  test('a recurrent state', async () => {
    const engine = startEngine({ numParallel: 1 });
    const path = join(folder, 'recurrent.gguf');
    writeMemoryModel(path, 'recurrent');
    try {
      await expect(acquire(engine, path, path)).rejects.toThrow('recurrent state cannot verify');
    } finally {
      await engine.close(0);
    }
  });

  test('a server that does not speculate loads none', async () => {
    const engine = startEngine({ numParallel: 1, speculation: false });
    try {
      const plain = (await acquireEmber(engine)).model.plan.bytes;
      const draft = { weightsPath: emberSource.weightsPath, fileBytes: emberSource.fileBytes };
      const request = { name: 'ember', source: emberSource, options: resolveOptions({}).load, draft };
      expect((await engine.acquire(request, never)).model.plan.bytes).toBe(plain);
    } finally {
      await engine.close(0);
    }
  });
});
