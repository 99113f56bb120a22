// Compared with llama.cpp's grammar sampler over the entire vocabulary, at every token of a text.

import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { schemaToGrammar } from '../../../../formats/grammar/schema.ts';
import type { LlamaApi } from '../../llama/bindings/llama-api.ts';
import type { SamplerPointer } from '../../llama/bindings/pointers.ts';
import { findBackend } from '../../llama/find-backend.ts';
import { openBackend } from '../../llama/open-backend.ts';
import { createVocabulary, type Vocabulary } from '../../llama/vocabulary.ts';
import { type Candidates, createCandidates } from './candidates.ts';
import { allowedTokens, allowsBeginnings, knownTokens } from './token-tree.ts';

const emberPath = fileURLToPath(new URL('../../../../../models/ember-q4_k_m.gguf', import.meta.url));

let api: LlamaApi;
let vocabulary: Vocabulary;
let candidates: Candidates;
beforeAll(() => {
  api = openBackend(findBackend('cpu'));
  const model = api.modelLoad(emberPath, { ...api.modelDefaultParams(), vocab_only: true });
  if (model === null) throw new Error('Ember could not be loaded');
  vocabulary = createVocabulary(api, api.modelVocab(model));
  candidates = createCandidates(api, vocabulary.size);
});

const call = schemaToGrammar({
  type: 'object',
  properties: {
    name: { enum: ['get_weather', 'get_news', 'größe'] },
    text: { type: 'string' },
    days: { type: 'integer' },
    tags: { type: 'array', items: { type: 'string', maxLength: 4 } },
  },
  required: ['name', 'text', 'days', 'tags'],
});

function everyToken(): Int32Array {
  return Int32Array.from({ length: vocabulary.size }, (_, token) => token);
}

describe('the tokens are those of the full mask', () => {
  test.each([
    ['a schema', call, '{"name": "größe", "text": "Straße \\"日本\\"", "days": -12, "tags": ["ä日", "x"]}'],
    ['any characters', 'root ::= .+ "\\n"', 'a日ö\n'],
    ['classes', 'root ::= ([a-zà-ü] | [^"a-z])+ "." ', 'été 12.'],
  ])('%s', (_, grammar, text) => {
    expect(allowsBeginnings(grammar)).toBe(true);
    const mask = api.samplerGrammar(vocabulary.pointer, grammar, 'root') as SamplerPointer;
    try {
      let looks = 0;
      let key = grammar;
      for (const token of vocabulary.tokenize(text, { addSpecial: false })) {
        const allowed = allowedTokens(vocabulary, candidates, { mask, key }, () => looks++);
        expect([...allowed]).toEqual(candidates.possible(everyToken(), mask, () => {}));
        expect(allowed).toContain(token);
        api.samplerAccept(mask, token);
        key += vocabulary.pieceOf(token).toString('latin1');
      }
      expect(looks).toBeGreaterThan(0);
    } finally {
      api.samplerFree(mask);
    }
  });

  test('few are looked at where the grammar allows few', () => {
    const mask = api.samplerGrammar(vocabulary.pointer, 'root ::= "yes" | "no"', 'root') as SamplerPointer;
    let seen = 0;
    const counting: Candidates = {
      ...candidates,
      possible(tokens, ...others) {
        seen += tokens.length;
        return candidates.possible(tokens, ...others);
      },
    };
    const state = { mask, key: 'yes or no' };
    expect(knownTokens(vocabulary, state)).toBeUndefined();
    const allowed = allowedTokens(vocabulary, counting, state, () => {});
    expect(knownTokens(vocabulary, state)).toEqual(allowed);
    api.samplerFree(mask);
    expect(Array.from(allowed, (token) => vocabulary.pieceOf(token).toString())).toEqual(
      expect.arrayContaining(['n', 'y']),
    );
    expect(seen).toBeLessThan(vocabulary.size / 4);
  });
});

test.each([
  ['root ::= "<tool>" [a-z<]', true],
  ['root ::= <[12]> "a"', false],
  ['root ::= !<think> "a"', false],
  ['root ::= [^"\\\\\\x00-\\x1f\\x7f]', true],
  ['root ::= [^é]', false],
  ['root ::= [^\\u00e9]', false],
  ['root ::= [^\\x80-\\xff]', false],
  ['root ::= [é] "[^é]"', true],
])('whether the beginnings of all texts are allowed: %s', (grammar, expected) => {
  expect(allowsBeginnings(grammar)).toBe(expected);
});
