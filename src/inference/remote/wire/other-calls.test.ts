// Embeddings, ranking and tokens.

import { expect, test } from 'vitest';
import type { RemoteKind } from '../endpoint.ts';
import type { Target } from '../remote-target.ts';
import { checkEndpoint } from '../remotes/remote-record.ts';
import { readEmbeddings, toEmbeddingRequest } from './embeddings.ts';
import { readRanking, toRankRequest } from './ranking.ts';
import { readDetokenized, readTokenized, toDetokenizeRequest, toTokenizeRequest } from './tokens.ts';

const target = (kind: RemoteKind): Target => ({
  endpoint: { ...checkEndpoint({ url: 'http://a' }), remote: 'gpu' },
  facts: { kind, models: [], features: new Set(), version: '' },
  model: 'm',
});

test('embeddings are requested as each kind has them', () => {
  const request = { texts: ['a', [1, 2]], truncate: true };
  expect(toEmbeddingRequest(target('ollama'), request)).toEqual({
    path: '/api/embed',
    body: { model: 'm', input: ['a', [1, 2]], truncate: true },
    answerLimits: expect.anything(),
  });
  expect(toEmbeddingRequest(target('vllm'), request).body).toMatchObject({ truncate_prompt_tokens: -1 });
  expect(toEmbeddingRequest(target('openai'), request).body).not.toHaveProperty('truncate_prompt_tokens');
});

test('embeddings are put in the order of the texts', () => {
  const data = [
    { index: 1, embedding: [2] },
    { index: 0, embedding: [1] },
  ];
  expect(readEmbeddings({ data, usage: { prompt_tokens: 5 } }, ['a', 'b'], 'gpu')).toEqual({
    vectors: [Float32Array.of(1), Float32Array.of(2)],
    tokens: [5, 0],
  });
  expect(readEmbeddings({ embeddings: [[1], [2]], prompt_eval_count: 5 }, ['a', 'b'], 'gpu').tokens).toEqual([5, 0]);
});

test.each([
  [{ data: [{ index: 0, embedding: [1] }] }],
  [
    {
      data: [
        { index: 0, embedding: [1] },
        { index: 7, embedding: [1] },
      ],
    },
  ],
  [{ embeddings: [[1], []] }],
  [null],
])('%j are not two embeddings', (answer) => {
  expect(() => readEmbeddings(answer, ['a', 'b'], 'gpu')).toThrow('the remote "gpu" did not send 2 embeddings');
});

test('scores are put in the order of the documents', () => {
  const request = { query: 'q', documents: ['a', 'b'], truncate: true };
  expect(toRankRequest(target('vllm'), request).body).toMatchObject({ query: 'q', documents: ['a', 'b'], top_n: 2 });
  const results = [
    { index: 1, relevance_score: 0.9 },
    { index: 0, relevance_score: 0.1 },
  ];
  expect(readRanking({ results, usage: { total_tokens: 8 } }, request, 'gpu')).toEqual({
    scores: [0.1, 0.9],
    tokens: [8, 0],
  });
  expect(() => readRanking({ results: results.slice(1) }, request, 'gpu')).toThrow('did not send 2 scores');
});

test.each([
  ['vllm', '/tokenize', { model: 'm', prompt: 'a', add_special_tokens: true }, '/detokenize'],
  ['sglang', '/v1/tokenize', { model: 'm', prompt: 'a', add_special_tokens: true }, '/v1/detokenize'],
  ['llama-server', '/tokenize', { content: 'a', add_special: true }, '/detokenize'],
  ['ollama', '/api/tokenize', { model: 'm', text: 'a', add_special: true }, '/api/detokenize'],
] as const)('%s tokenizes with %s', (kind, path, body, back) => {
  expect(toTokenizeRequest(target(kind), { text: 'a', addSpecial: true })).toMatchObject({ path, body });
  expect(toDetokenizeRequest(target(kind), [1])).toMatchObject({ path: back, body: { tokens: [1] } });
});

test('tokens are numbers and their text is found', () => {
  expect(readTokenized({ tokens: [1, 2] }, 'gpu')).toEqual([1, 2]);
  expect(() => readTokenized({ tokens: ['a'] }, 'gpu')).toThrow('not numbers');
  for (const field of ['text', 'prompt', 'content']) expect(readDetokenized({ [field]: 'a' }, 'gpu')).toBe('a');
  expect(() => readDetokenized({}, 'gpu')).toThrow('sent no text');
});

test('a remote cannot report more tokens than the texts can have', () => {
  const reported = 1e12;
  const data = [{ index: 0, embedding: [1] }];
  const { tokens } = readEmbeddings({ data, usage: { prompt_tokens: reported } }, ['a fox'], 'gpu');
  expect(tokens[0]).toBeLessThan(1000);
  const results = [{ index: 0, relevance_score: 1 }];
  const ranking = { query: 'q', documents: ['a fox'] };
  expect(readRanking({ results, usage: { total_tokens: reported } }, ranking, 'gpu').tokens[0]).toBeLessThan(1000);
});
