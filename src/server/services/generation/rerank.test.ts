import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EngineScript } from '../../../../test/support/fake-engine.ts';
import { createServiceFixture, rerankerContent } from '../../../../test/support/service-fixture.ts';
import { HearthError } from '../../../base/errors.ts';
import { type Reported, RequestReport } from '../../../base/request/request-report.ts';
import { parseRequestedModel } from '../../../models/name.ts';
import { parseOptions } from '../../../models/options.ts';
import { createRerank, type RerankInput, rerankLimits } from './rerank.ts';

const fixture = createServiceFixture();
const never = new AbortController().signal;
beforeAll(async () => {
  await fixture.putModel('plain');
  await fixture.putModel('classifier', rerankerContent('bert'));
  await fixture.putModel('decoder', rerankerContent('qwen3'));
});
afterAll(() => fixture.remove());

/** The score of a document is the number that it is. */
const rankNumbers: EngineScript = {
  rank: ({ documents }) => ({ scores: documents.map(Number), tokens: documents.map(() => 3) }),
};

function start(script: EngineScript, input: Partial<RerankInput> = {}) {
  const services = fixture.createServices(script);
  const defaults: Reported<RerankInput> = {
    report: new RequestReport(),
    model: parseRequestedModel('classifier'),
    query: 'q',
    documents: ['-1', '2', '0'],
    method: 'rank',
    rawScores: false,
    truncate: true,
    options: parseOptions({}),
  };
  return { ...services, result: createRerank(services)({ ...defaults, ...input }, never) };
}

describe('a reranker', () => {
  test('the best come first, with logits from 0 to 1 and the sum of the tokens', async () => {
    const { result, engine } = start(rankNumbers);
    const { results, promptTokens } = await result;
    expect(results.map(({ index }) => index)).toEqual([1, 2, 0]);
    const sigmoid = (logit: number): number => 1 / (1 + Math.exp(-logit));
    expect(results.map(({ score }) => score)).toEqual([sigmoid(2), 0.5, sigmoid(-1)]);
    expect(promptTokens).toBe(9);
    expect(engine.ranked).toEqual([{ query: 'q', documents: ['-1', '2', '0'], truncate: true }]);
    expect(engine.openLeases()).toBe(0);
  });

  test('raw scores', async () => {
    const { results } = await start(rankNumbers, { rawScores: true }).result;
    expect(results.map(({ score }) => score)).toEqual([2, 0, -1]);
  });

  test('probabilities are not changed', async () => {
    const model = parseRequestedModel('decoder');
    const { results } = await start(rankNumbers, { model, documents: ['0.25', '0.75'] }).result;
    expect(results).toEqual([
      { index: 1, score: 0.75 },
      { index: 0, score: 0.25 },
    ]);
  });

  test('equal scores keep the order of the request; `topN` ends the list', async () => {
    const { results } = await start(rankNumbers, { documents: ['1', '1', '3', '1'], topN: 3 }).result;
    expect(results.map(({ index }) => index)).toEqual([2, 0, 1]);
  });

  test('instruction and limits reach the engine', async () => {
    const limits = { instruction: 'be strict', maxQueryTokens: 5, maxDocumentTokens: 7, truncate: false };
    const { result, engine } = start(rankNumbers, limits);
    await result;
    expect(engine.ranked).toMatchObject([limits]);
  });
});

describe('cosine', () => {
  const embed: EngineScript['embed'] = ({ texts }) => ({
    vectors: texts.map((text) => Float32Array.of(...String(text).split(',').map(Number))),
    tokens: texts.map(() => 2),
  });

  test('the similarity of embeddings, of any model', async () => {
    const documents = ['0,2', '3,0', '-1,0', '1,1', '0,0'];
    const model = parseRequestedModel('plain');
    const { result, engine } = start({ embed }, { model, method: 'cosine', query: '5,0', documents, truncate: false });
    const { results, promptTokens } = await result;
    expect(results.map(({ index }) => index)).toEqual([1, 3, 0, 4, 2]);
    expect(results.map(({ score }) => score)).toEqual([1, expect.closeTo(Math.SQRT1_2), 0, 0, -1]);
    expect(promptTokens).toBe(12);
    expect(engine.embedded).toEqual([{ texts: ['5,0', ...documents], truncate: false }]);
    expect(engine.ranked).toEqual([]);
  });

  test('is not chosen without being asked for', async () => {
    const { result, engine } = start({ embed }, { model: parseRequestedModel('plain') });
    await expect(result).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('"plain" does not support rerank; use a reranker, or the method "cosine"'),
    });
    expect(engine.acquired).toEqual([]);
  });

  test('a vector with NaN is an error', async () => {
    const { result, engine } = start({ embed }, { method: 'cosine', query: 'x' });
    await expect(result).rejects.toMatchObject({ code: 'request_failed' });
    expect(engine.openLeases()).toBe(0);
  });
});

describe('errors', () => {
  test('a score that is not a number', async () => {
    const { result, engine } = start(rankNumbers, { documents: ['1', 'x'] });
    await expect(result).rejects.toMatchObject({ code: 'request_failed', message: 'a score is NaN or infinite' });
    expect(engine.openLeases()).toBe(0);
  });

  test('of the engine keep their code', async () => {
    const error = new HearthError('bad_request', 'the input length exceeds the context length');
    const rank = () => {
      throw error;
    };
    await expect(start({ rank }).result).rejects.toBe(error);
  });

  test('an unknown model', async () => {
    const { result } = start({}, { model: parseRequestedModel('nosuch:x') });
    await expect(result).rejects.toMatchObject({ code: 'model_not_found' });
  });

  test('too many documents, or too many bytes', async () => {
    const documents = new Array<string>(rerankLimits.documents + 1).fill('1');
    await expect(start(rankNumbers, { documents }).result).rejects.toThrow('has 4097 documents, and the limit is 4096');
    const half = 'é'.repeat(rerankLimits.bytes / 4);
    const { result, engine } = start(rankNumbers, { query: half, documents: [half, 'x'] });
    await expect(result).rejects.toThrow(
      `have ${rerankLimits.bytes + 1} bytes, and the limit is ${rerankLimits.bytes}`,
    );
    expect(engine.acquired).toEqual([]);
  });
});
