// POST /api/rerank, /v1/rerank and its other paths, with a real reranker: each test name states a rule.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Body, post } from '../support/client.ts';
import { bertScore } from '../support/models/bert-reference.ts';
import { addModel } from '../support/models/endless-ember.ts';
import { bertPairTokens, randomBertWeights, writeBert } from '../support/models/tiny-bert.ts';
import { writeQwenReranker } from '../support/models/tiny-qwen3.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
const weights = randomBertWeights(20_264);
beforeAll(async () => {
  server = await startServer();
  const folder = mkdtempSync(join(tmpdir(), 'hearth-rerank-'));
  const path = join(folder, 'model.gguf');
  writeBert(path, weights, 'rank');
  await addModel(server.store, 'bert-rank', readFileSync(path));
  writeQwenReranker(path, 20_265);
  await addModel(server.store, 'qwen-rank', readFileSync(path));
  rmSync(folder, { recursive: true });
});
afterAll(() => server.stop());

interface Result {
  readonly index: number;
  readonly relevance_score: number;
  readonly document?: unknown;
}
interface Reranked {
  readonly results: readonly Result[];
  readonly usage?: { readonly prompt_tokens: number };
}

const query = 'the cat sits';
const documents = ['a dog runs', 'on the mat', 'red green house', 'bird'];
const pairs = documents.map((document) => bertPairTokens(query, document));
const logits = pairs.map((pair) => bertScore(weights, pair));
const best = logits.map((_, index) => index).sort((a, b) => (logits[b] as number) - (logits[a] as number));
const sigmoid = (logit: number): number => 1 / (1 + Math.exp(-logit));

const rerank = async (path: string, body: Body = {}): Promise<Reranked> => {
  const reply = await post<Reranked>(server.url, path, { model: 'bert-rank', query, documents, ...body });
  if (reply.status !== 200) throw new Error(reply.text);
  return reply.objects[0] as Reranked;
};
const close = (score = Number.NaN) => expect.closeTo(score, 1);

test('/api/rerank: documents and scores from 0 to 1, the best first', async () => {
  const body = await rerank('/api/rerank');
  expect(body).toEqual({
    model: 'bert-rank',
    results: best.map((index) => ({
      index,
      document: documents[index],
      relevance_score: close(sigmoid(logits[index] as number)),
    })),
    total_duration: expect.any(Number),
    load_duration: expect.any(Number),
    prompt_eval_count: pairs.flat().length,
  });
});

test.each(['/v1/rerank', '/v1/reranking', '/v2/rerank', '/rerank', '/reranking'])(
  '%s: the same order',
  async (path) => {
    const { results, usage } = await rerank(path, { top_n: 2 });
    expect(results.map(({ index }) => index)).toEqual(best.slice(0, 2));
    expect(results[0]?.document).toEqual({ text: documents[best[0] as number] });
    expect(usage?.prompt_tokens).toBe(pairs.flat().length);
  },
);

test('TEI: an array of scores', async () => {
  const { text } = await post(server.url, '/rerank', { model: 'bert-rank', query, texts: documents, raw_scores: true });
  expect(JSON.parse(text)).toEqual(best.map((index) => ({ index, score: close(logits[index]) })));
});

test('`raw_scores`: the logits', async () => {
  const { results } = await rerank('/v1/rerank', { raw_scores: true });
  expect(results.map((result) => result.relevance_score)).toEqual(best.map((index) => close(logits[index])));
});

test('a decoder: probabilities, raw or not, which an instruction changes', async () => {
  const body = { model: 'qwen-rank' };
  const scores = ({ results }: Reranked) => results.map((result) => result.relevance_score);
  const usual = scores(await rerank('/v1/rerank', body));
  expect(usual.every((score) => score > 0 && score < 1)).toBe(true);
  expect(scores(await rerank('/v1/rerank', { ...body, raw_scores: true }))).toEqual(usual.map(close));
  const other = await rerank('/v1/rerank', { ...body, instruction: 'Find every text about birds, and no other text' });
  expect(scores(other)).not.toEqual(usual);
});

describe('a model that is not a reranker', () => {
  test('is refused', async () => {
    const reply = await post(server.url, '/api/rerank', { model: 'ember', query, documents });
    expect([reply.status, reply.objects[0]?.error]).toEqual([400, expect.stringContaining('does not support rerank')]);
  });

  test('compares embeddings if it is asked to', async () => {
    const { results } = await rerank('/api/rerank', { model: 'ember', method: 'cosine', documents: ['bread', query] });
    expect(results.map(({ index }) => index)).toEqual([1, 0]);
    expect(results[0]?.relevance_score).toBeCloseTo(1, 2);
  });
});

test('`truncate`: a document that is too long is truncated, or a 400', async () => {
  const body = { documents: ['dog '.repeat(200)], options: { num_ctx: 16 } };
  expect((await rerank('/v1/rerank', body)).usage?.prompt_tokens).toBe(16);
  await expect(rerank('/v1/rerank', { ...body, truncate: false })).rejects.toThrow(
    'the input length exceeds the context length',
  );
});

test('requests of many clients at once', async () => {
  const replies = await Promise.all(Array.from({ length: 20 }, () => rerank('/v1/rerank')));
  for (const { results } of replies) expect(results.map(({ index }) => index)).toEqual(best);
});

test('lists and details name the capability, and metrics count documents', async () => {
  const { objects } = await post<{ capabilities: string[] }>(server.url, '/api/show', { model: 'bert-rank' });
  expect(objects[0]?.capabilities).toEqual(['rerank']);
  const { models } = (await (await fetch(`${server.url}/api/tags`)).json()) as {
    models: { name: string; capabilities: string[] }[];
  };
  expect(models.find(({ name }) => name === 'qwen-rank:latest')?.capabilities).toEqual(['rerank']);
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  expect(metrics).toMatch(/^hearth_ranked_documents_total\{model="bert-rank:latest"\} [1-9]/m);
});
