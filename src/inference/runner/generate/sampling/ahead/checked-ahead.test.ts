// Answers with a grammar whose tokens are chosen and checked ahead, over llama.cpp's own samplers and Ember's vocabulary. Only
// the logits are scripted.

import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createFakeClock } from '../../../../../../test/support/fake-clock.ts';
import { randomNumbers } from '../../../../../../test/support/models/random-numbers.ts';
import { createScriptedApi } from '../../../../../../test/support/runner/scripted-api.ts';
import { schemaToGrammar } from '../../../../../formats/grammar/schema.ts';
import { resolveOptions } from '../../../../../models/options.ts';
import type { LlamaApi } from '../../../llama/bindings/llama-api.ts';
import type { SamplerPointer } from '../../../llama/bindings/pointers.ts';
import type { EngineContext } from '../../../llama/context.ts';
import { findBackend } from '../../../llama/find-backend.ts';
import { openBackend } from '../../../llama/open-backend.ts';
import { createVocabulary, type Vocabulary } from '../../../llama/vocabulary.ts';
import { toRequestSettings } from '../../sequence/request-settings.ts';
import { createCandidates } from '../candidates.ts';
import type { SamplerSources } from '../choices.ts';
import { createSampler } from '../sampler.ts';
import type { Verdict } from './choice-board.ts';
import { ChoicePool, createChoicesAhead } from './choice-pool.ts';
import { createChoiceMaker } from './create-choice-maker.ts';

const emberPath = fileURLToPath(new URL('../../../../../../models/ember-q4_k_m.gguf', import.meta.url));
const schema = { type: 'object', properties: { to: { type: 'string' }, days: { type: 'integer' } }, required: ['to'] };
const requests = 38;
const steps = 12;

let api: LlamaApi;
let vocabulary: Vocabulary;
beforeAll(() => {
  api = openBackend(findBackend('cpu'));
  const model = api.modelLoad(emberPath, { ...api.modelDefaultParams(), vocab_only: true });
  if (model === null) throw new Error('Ember could not be loaded');
  vocabulary = createVocabulary(api, api.modelVocab(model));
});

const clock = createFakeClock();
let pool: ChoicePool | undefined;
afterEach(() => {
  pool?.stop();
  pool = undefined;
});

function openPool(): ChoicePool {
  pool = new ChoicePool({ api, script: '', threads: 0, vocabularySize: vocabulary.size, clock });
  return pool;
}

/** The texts of requests that generate at the same time, half of them with a grammar. */
function generate(choices: Pick<ChoicePool, 'run'> | undefined): { texts: string[]; verdicts: Set<Verdict> } {
  const rows = Array.from({ length: requests }, () => new Float32Array(vocabulary.size));
  const context = { pointer: 0n, logits: (row: number) => rows[row] } as unknown as EngineContext;
  const choicesAhead = createChoicesAhead(choices);
  const verdicts = new Set<Verdict>();
  const sources: SamplerSources = {
    api: createScriptedApi(api, context, vocabulary.size),
    context,
    vocabulary,
    candidates: createCandidates(api, vocabulary.size),
    choicesAhead: {
      take(logits) {
        const choice = choicesAhead.take(logits);
        if (choice !== undefined) verdicts.add(choice.verdict);
        return choice;
      },
    },
    contextLength: 100,
    clock,
  };
  const samplers = rows.map((_, seed) => {
    const { sampler } = toRequestSettings(resolveOptions({ temperature: 0.8, seed }).sample);
    return createSampler(sources, sampler, seed % 2 === 0 ? { grammar: schemaToGrammar(schema) } : {});
  });
  const next = randomNumbers(7);
  const texts = samplers.map(() => '');
  for (let step = 0; step < steps; step++) {
    for (const logits of rows) for (let token = 0; token < logits.length; token++) logits[token] = next() * 8;
    choicesAhead.choose(requests, (index) => samplers[index]?.prepare(index));
    for (const [index, sampler] of samplers.entries())
      if (!texts[index]?.endsWith('}')) texts[index] += vocabulary.pieceOf(sampler.sample(index) as number).toString();
  }
  for (const sampler of samplers) sampler.free();
  return { texts, verdicts };
}

test('the texts are those without choices ahead', () => {
  const alone = generate(undefined);
  const ahead = generate(openPool());
  expect(ahead.texts).toEqual(alone.texts);
  expect(ahead.texts.filter((text) => text.startsWith('{'))).toHaveLength(requests / 2);
  expect([alone.verdicts, ahead.verdicts]).toEqual([new Set(), new Set(['untested', 'accepted', 'rejected'])]);
});

test('a grammar that takes too long fails the request, but not if other programs had the processor', () => {
  const slow = {
    ...api,
    samplerApply(sampler: SamplerPointer, candidates: Uint8Array) {
      clock.advance(2000);
      api.samplerApply(sampler, candidates);
    },
  };
  const maker = createChoiceMaker(slow, vocabulary.size, clock);
  const mask = api.samplerGrammar(vocabulary.pointer, 'root ::= "no" | "yes"', 'root') as SamplerPointer;
  const [token] = vocabulary.tokenize('x', { addSpecial: false }) as [number];
  const used = vi.spyOn(process, 'cpuUsage').mockReturnValue({ user: 100_000, system: 0 });
  expect(maker.test(mask, token)).toBe('rejected');
  used.mockReturnValue({ user: 1_500_000, system: 0 });
  expect(maker.test(mask, token)).toBe('late');
  used.mockRestore();
  api.samplerFree(mask);
  const late = {
    run: (count: number, prepare: (index: number) => { logits: Float32Array } | undefined) =>
      Array.from({ length: count }, (_, index) => prepare(index)).flatMap((job) =>
        job === undefined ? [] : [{ logits: job.logits, token, verdict: 'late' as const }],
      ),
  };
  expect(() => generate(late)).toThrow('the grammar takes too long');
});
