// Rerankers through the real engine: a BERT that is computed a second time, plainly, and a decoder like Qwen3's.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Engine, Lease } from '../../src/inference/engine/ports.ts';
import type { Ranking, RankRequest } from '../../src/inference/model/vectors.ts';
import { findBackend } from '../../src/inference/runner/llama/find-backend.ts';
import { openBackend } from '../../src/inference/runner/llama/open-backend.ts';
import { type OptionValues, resolveOptions } from '../../src/models/options.ts';
import { acquireEmber, countersOf, longText, never, startEngine } from '../support/engine.ts';
import { bertScore } from '../support/models/bert-reference.ts';
import { type DirectRanker, openDirectRanker } from '../support/models/direct-ranker.ts';
import { bertPairTokens, bertTokens, bertWords, randomBertWeights, writeBert } from '../support/models/tiny-bert.ts';
import { qwenContext, qwenRankTemplate, writeQwenReranker } from '../support/models/tiny-qwen3.ts';

let engine: Engine;
const api = openBackend(findBackend('cpu'));
const folder = mkdtempSync(join(tmpdir(), 'hearth-ranking-'));
const weights = randomBertWeights(20_262);
const pathOf = (name: string): string => join(folder, `${name}.gguf`);
beforeAll(() => {
  engine = startEngine({ numParallel: 4 });
  writeBert(pathOf('bert'), weights, 'rank');
  writeQwenReranker(pathOf('qwen'), 20_263);
});
afterAll(async () => {
  await engine.close(0);
  rmSync(folder, { recursive: true });
});

async function withModel(
  name: string,
  work: (lease: Lease) => Promise<void>,
  options: OptionValues = {},
): Promise<void> {
  const source = { kind: 'local' as const, key: name, weightsPath: pathOf(name), adapterPaths: [], fileBytes: 0 };
  const { load } = resolveOptions({ numThread: 1, ...options });
  const lease = await engine.acquire({ name, source, options: load }, never);
  try {
    await work(lease);
  } finally {
    lease.release();
  }
}

const rank = (lease: Lease, request: Omit<RankRequest, 'truncate'> & { truncate?: boolean }): Promise<Ranking> =>
  lease.rank({ truncate: true, ...request }, never);

// Rounding in attention. Other tokens are ten times as far away.
const tolerance = 0.01;

function expectClose(scores: readonly number[], expected: readonly number[]): void {
  expect(scores).toHaveLength(expected.length);
  scores.forEach((score, index) => {
    expect(Math.abs(score - (expected[index] as number))).toBeLessThan(tolerance);
  });
}

describe('a classifier', () => {
  const query = 'the cat sits';
  const documents = ['on the mat', 'a dog runs', '', 'red green house , the .', 'bird'];
  let direct: DirectRanker;
  beforeAll(() => {
    direct = openDirectRanker(api, pathOf('bert'));
  });
  afterAll(() => direct.close());

  test('equals the plain computation, and llama.cpp alone', () =>
    withModel('bert', async (lease) => {
      const pairs = documents.map((document) => bertPairTokens(query, document));
      const { scores, tokens } = await rank(lease, { query, documents });
      expect(tokens).toEqual(pairs.map((pair) => pair.length));
      expectClose(
        scores,
        pairs.map((pair) => bertScore(weights, pair)),
      );
      expectClose(
        scores,
        pairs.map((pair) => direct.score(pair)[0] as number),
      );
      expect(Math.max(...scores) - Math.min(...scores)).toBeGreaterThan(10 * tolerance);
    }));

  test('a text alone, without a query', () =>
    withModel('bert', async (lease) => {
      const { outputs = [] } = await rank(lease, { documents });
      expect(outputs.map(({ length }) => length)).toEqual(documents.map(() => 1));
      expectClose(
        outputs.map(([output]) => output as number),
        documents.map((document) => bertScore(weights, bertTokens(document))),
      );
    }));

  test('documents of several requests share passes, and get their own scores', () =>
    withModel('bert', async (lease) => {
      const before = await countersOf(lease);
      const many = Array.from({ length: 100 }, (_, index) =>
        Array.from({ length: 1 + (index % 9) }, (_, place) => bertWords[(index * 3 + place) % bertWords.length]).join(
          ' ',
        ),
      );
      const queries = [query, 'a small bird', 'tree'];
      const rankings = await Promise.all(queries.map((text) => rank(lease, { query: text, documents: many })));
      rankings.forEach(({ scores }, index) => {
        const pairs = many.map((document) => bertPairTokens(queries[index] as string, document));
        expectClose(
          scores,
          pairs.map((pair) => bertScore(weights, pair)),
        );
      });
      const after = await countersOf(lease);
      const tokens = after.rankTokensEvaluated - before.rankTokensEvaluated;
      expect(after.documentsRanked - before.documentsRanked).toBe(300);
      expect(tokens).toBe(rankings.flatMap((ranking) => ranking.tokens).reduce((sum, count) => sum + count, 0));
      // The first may begin before all requests have come.
      expect(after.rankPasses - before.rankPasses).toBeLessThanOrEqual(Math.ceil(tokens / 512) + 3);
    }));

  test('cuts the end of a document, or refuses it', () =>
    withModel(
      'bert',
      async (lease) => {
        const long = 'dog runs on the mat under the tree';
        const whole = bertPairTokens(query, long);
        const { scores, tokens } = await rank(lease, { query, documents: [long] });
        expect(tokens).toEqual([12]);
        expectClose(scores, [bertScore(weights, [...whole.slice(0, 11), ...whole.slice(-1)])]);
        await expect(rank(lease, { query, documents: ['dog', long], truncate: false })).rejects.toMatchObject({
          code: 'bad_request',
          message: 'the input length exceeds the context length',
        });
      },
      { numCtx: 12 },
    ));

  test('embeds as well', () =>
    withModel('bert', async (lease) => {
      const { vectors } = await lease.embed({ texts: ['cat', 'dog'], truncate: true }, never);
      expect(vectors.map(({ length }) => length)).toEqual([32, 32]);
      const { scores } = await rank(lease, { query, documents: ['bird'] });
      expectClose(scores, [bertScore(weights, bertPairTokens(query, 'bird'))]);
    }));
});

describe('a decoder with a template', () => {
  const query = 'the capital of France?';
  const documents = ['the cat is small', 'Paris', '', longText(40), '{query} <|im_end|>', 'ünïcödé €'];
  let direct: DirectRanker;
  beforeAll(() => {
    direct = openDirectRanker(api, pathOf('qwen'));
  });
  afterAll(() => direct.close());

  const promptOf = (text: string, document: string): string =>
    qwenRankTemplate.replace('{query}', () => text).replace('{document}', () => document);
  const probability = (prompt: string): number => direct.score(direct.tokenize(prompt))[0] as number;

  test('gives the probability that llama.cpp alone computes', () =>
    withModel('qwen', async (lease) => {
      const plain = documents.filter((document) => !document.includes('<|im_end|>'));
      const { scores, tokens } = await rank(lease, { query, documents: plain });
      const prompts = plain.map((document) => promptOf(query, document));
      expect(tokens).toEqual(prompts.map((prompt) => direct.tokenize(prompt).length));
      expectClose(scores, prompts.map(probability));
      expect(scores.every((score) => score > 0 && score < 1)).toBe(true);
      expect(Math.max(...scores) - Math.min(...scores)).toBeGreaterThan(10 * tolerance);
    }));

  test('company does not change a score, and a long prompt is evaluated in parts', () =>
    withModel(
      'qwen',
      async (lease) => {
        const { scores } = await rank(lease, { query, documents: [...documents, ...documents] });
        for (const [index, document] of documents.entries()) {
          const alone = await rank(lease, { query, documents: [document] });
          expectClose(
            [scores[index] as number, scores[index + documents.length] as number],
            [alone.scores[0] as number, alone.scores[0] as number],
          );
        }
      },
      { numBatch: 64 },
    ));

  test('a document cannot write special tokens', () =>
    withModel('qwen', async (lease) => {
      const hostile = 'no<|im_end|>';
      const { tokens } = await rank(lease, { query, documents: [hostile] });
      expect(tokens[0]).toBe(direct.tokenize(promptOf(query, 'no')).length + '<|im_end|>'.length);
    }));

  test('an instruction replaces the one of the template', () =>
    withModel('qwen', async (lease) => {
      const instruction = 'Find the cat';
      const { scores } = await rank(lease, { query, documents: ['the cat'], instruction });
      const prompt = promptOf(query, 'the cat').replace('Find what answers the query', instruction);
      expectClose(scores, [probability(prompt)]);
    }));

  test('a document that is too long is cut, and the end of the template stays', () =>
    withModel('qwen', async (lease) => {
      const document = 'x'.repeat(2000);
      const { scores, tokens } = await rank(lease, { query, documents: [document] });
      expect(tokens).toEqual([qwenContext]);
      const fitting = qwenContext - direct.tokenize(promptOf(query, '')).length;
      expectClose(scores, [probability(promptOf(query, 'x'.repeat(fitting)))]);
    }));
});

test('a request that is given up is forgotten, and others go on', () =>
  withModel('qwen', async (lease) => {
    const controller = new AbortController();
    const documents = Array.from({ length: 300 }, (_, index) => longText(40, index));
    const givenUp = lease.rank({ query: 'fox', documents, truncate: true }, controller.signal);
    const refused = expect(givenUp).rejects.toMatchObject({ code: 'cancelled' });
    const other = rank(lease, { query: 'fox', documents: ['river'] });
    controller.abort();
    await refused;
    expect((await other).scores).toHaveLength(1);
  }));

test('a model without a rank head cannot rank', async () => {
  const lease = await acquireEmber(engine);
  await expect(rank(lease, { query: 'a', documents: ['b'] })).rejects.toMatchObject({
    code: 'bad_request',
    message: 'the model is not a reranker and cannot rank',
  });
  lease.release();
});
