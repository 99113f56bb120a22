// Structured answers with the real engine: llama.cpp interprets the grammars as intended, and answers satisfy the
// schema.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { schemaToGrammar } from '../../src/formats/grammar/schema.ts';
import type { Engine, Lease } from '../../src/inference/engine/ports.ts';
import { type Candidates, createCandidates } from '../../src/inference/runner/generate/sampling/candidates.ts';
import { findBackend } from '../../src/inference/runner/llama/find-backend.ts';
import { openBackend } from '../../src/inference/runner/llama/open-backend.ts';
import { createVocabulary, type Vocabulary } from '../../src/inference/runner/llama/vocabulary.ts';
import { chatml } from '../support/client.ts';
import { acquireEmber, answerOf, emberSource, never, requestOf, startEngine } from '../support/engine.ts';
import type { SchemaCase } from '../support/grammar/schema-case.ts';
import { schemaCases } from '../support/grammar/schema-cases.ts';
import { validatorOf } from '../support/grammar/validator.ts';

describe('llama.cpp', () => {
  let api: ReturnType<typeof openBackend>;
  let vocabulary: Vocabulary;
  let candidates: Candidates;
  let endToken: number;
  beforeAll(() => {
    api = openBackend(findBackend('cpu'));
    const params = { ...api.modelDefaultParams(), vocab_only: true };
    const model = api.modelLoad(emberSource.weightsPath, params);
    if (model === null) throw new Error('Ember could not be loaded');
    vocabulary = createVocabulary(api, api.modelVocab(model));
    candidates = createCandidates(api, vocabulary.size);
    endToken = Array.from({ length: vocabulary.size }, (_, token) => token).find(vocabulary.isEnd) as number;
  });

  /** Whether the grammar accepts this text and its end. */
  function allows(grammar: string, text: string): boolean {
    const sampler = api.samplerGrammar(vocabulary.pointer, grammar, 'root');
    if (sampler === null) throw new Error('llama.cpp cannot parse the grammar');
    try {
      return [...vocabulary.tokenize(text, { addSpecial: false }), endToken].every((token) => {
        candidates.fillOne(token);
        candidates.apply(sampler);
        const isPossible = candidates.firstPossible();
        if (isPossible) api.samplerAccept(sampler, token);
        return isPossible;
      });
    } finally {
      api.samplerFree(sampler);
    }
  }

  test.each(schemaCases)('accepts valid values only: $name', ({ schema, valid, invalid }) => {
    const grammar = schemaToGrammar(schema);
    for (const value of valid) {
      expect(allows(grammar, JSON.stringify(value)), JSON.stringify(value).slice(0, 200)).toBe(true);
      expect(allows(grammar, JSON.stringify(value, null, 2)), JSON.stringify(value).slice(0, 200)).toBe(true);
    }
    for (const value of invalid)
      expect(allows(grammar, JSON.stringify(value)), JSON.stringify(value).slice(0, 200)).toBe(false);
  });
});

const names = [
  'several types',
  'enum',
  'integers across zero',
  'numbers with fractional bounds',
  'lengths',
  'a longer pattern and a length',
  'lookahead',
  'a date and time',
  'an email',
  'required and optional members',
  'declared and additional members',
  'counted members',
  'a bounded array',
  'oneOf with an optional discriminator',
  'a tree',
  'from pydantic',
  'from zod-to-json-schema',
];
const seeds = [1, 2, 3, 4, 5, 6];

describe('Ember', () => {
  let engine: Engine;
  let lease: Lease;
  beforeAll(async () => {
    engine = startEngine();
    lease = await acquireEmber(engine);
  });
  afterAll(() => engine.close(0));

  test.each(names)('answers match the schema: %s', async (name) => {
    const { schema } = schemaCases.find((one) => one.name === name) as SchemaCase;
    const validate = validatorOf(schema);
    const grammar = schemaToGrammar(schema);
    const prompt = chatml(`Answer with JSON. What do you know about ${name}?`);
    const answers = await Promise.all(
      seeds.map((seed) =>
        answerOf(lease.generate(requestOf(prompt, { temperature: 1.2, seed, numPredict: 160 }, { grammar }), never)),
      ),
    );
    const ended = answers.filter(({ done }) => done.reason === 'stop');
    expect(ended.length).toBeGreaterThan(0);
    for (const { text } of ended)
      expect(validate(JSON.parse(text)), `${text} ${JSON.stringify(validate.errors)}`).toBe(true);
  });

  test.each([
    ['begun, and closed by its budget', { begun: true, budget: 5 }, /^[^<]+<\/think>\n\n(true|false)$/],
    ['that does not begin', { begun: false, budget: 5 }, /^(true|false)$/],
  ])('a grammar applies after thinking %s', async (_, more, expected) => {
    const thinking = { open: '<think>', close: '</think>', ...more };
    const grammar = schemaToGrammar({ type: 'boolean' });
    const request = requestOf(chatml('Is the sky blue?'), { temperature: 0, numPredict: 40 }, { grammar, thinking });
    const { text, done } = await answerOf(lease.generate(request, never));
    expect(text).toMatch(expected);
    expect(done.reason).toBe('stop');
  });
});
