// The shapes of rerank requests and responses, over a fake engine.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, createApi } from '../../../../test/support/api-fixture.ts';
import { createServiceFixture, rerankerContent, type TestServices } from '../../../../test/support/service-fixture.ts';

const fixture = createServiceFixture();
let services: TestServices;
let api: Api;
beforeAll(async () => {
  await fixture.putModel('ranker', rerankerContent('qwen3'));
  await fixture.putModel('plain');
  // The score of a document is the number that it is.
  const rank = ({ documents }: { readonly documents: readonly string[] }) => ({
    scores: documents.map(Number),
    outputs: documents.map((text) => Float32Array.of(0, Number(text))),
    tokens: documents.map(() => 4),
  });
  services = fixture.createServices({ rank });
  api = createApi(services);
});
afterAll(async () => {
  await api.close();
  fixture.remove();
});

const model = 'ranker';
const query = 'which?';
const documents = ['0.25', '0.75', '0.5'];

async function send(path: string, body: object) {
  const { statusCode, body: text } = await api.send({ method: 'POST', path }, body);
  return { status: statusCode, body: JSON.parse(text) };
}

test('/api/rerank: the documents themselves, the best first', async () => {
  const { status, body } = await send('/api/rerank', { model, query, documents, top_n: 2 });
  expect(status).toBe(200);
  expect(body).toEqual({
    model,
    results: [
      { index: 1, document: '0.75', relevance_score: 0.75 },
      { index: 2, document: '0.5', relevance_score: 0.5 },
    ],
    total_duration: expect.any(Number),
    load_duration: expect.any(Number),
    prompt_eval_count: 12,
  });
});

describe.each(['/v1/rerank', '/v1/reranking', '/v2/rerank', '/rerank', '/reranking'])('%s', (path) => {
  test('the form of Jina, Cohere and vLLM', async () => {
    const { status, body } = await send(path, { model, query, documents: ['0.25', { text: '0.75', title: 'x' }] });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: 'rerank-1',
      object: 'list',
      model,
      results: [
        { index: 1, relevance_score: 0.75, document: { text: '0.75' } },
        { index: 0, relevance_score: 0.25, document: { text: '0.25' } },
      ],
      usage: { prompt_tokens: 8, total_tokens: 8 },
      meta: { api_version: { version: '2' }, tokens: { input_tokens: 8, output_tokens: 0 } },
    });
  });

  test('without documents in the results', async () => {
    const { body } = await send(path, { model, query, documents, top_n: 1, return_documents: false });
    expect(body.results).toEqual([{ index: 1, relevance_score: 0.75 }]);
  });

  test('the form of TEI: an array, and the only reranker of the store', async () => {
    const tei = { query, texts: documents, raw_scores: false };
    const scores = [
      { index: 1, score: 0.75 },
      { index: 2, score: 0.5 },
      { index: 0, score: 0.25 },
    ];
    expect((await send(path, tei)).body).toEqual(scores);
    const withTexts = scores.map((result) => ({ ...result, text: documents[result.index] }));
    expect((await send(path, { ...tei, return_text: true })).body).toEqual(withTexts);
    expect(services.engine.acquired.at(-1)?.name).toBe('ranker:latest');
  });
});

test('fields of the request reach the engine', async () => {
  const fields = { instruction: 'strictly', max_tokens_per_doc: 8, max_tokens_per_query: 9, truncate: false };
  await send('/v1/rerank', { model, query, documents, ...fields, keep_alive: 7, options: { num_ctx: 99 } });
  expect(services.engine.ranked.at(-1)).toEqual({
    query,
    documents,
    truncate: false,
    instruction: 'strictly',
    maxDocumentTokens: 8,
    maxQueryTokens: 9,
  });
  expect(services.engine.acquired.at(-1)).toMatchObject({ keepAlive: 7000, options: { numCtx: 99 } });
});

describe.each(['/score', '/v1/score'])('%s', (path) => {
  test('one query for all texts, or one for each; scores are in the order of the request', async () => {
    const { status, body } = await send(path, { model, text_1: query, text_2: documents });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^score-/),
      object: 'list',
      created: expect.any(Number),
      model,
      data: [0.25, 0.75, 0.5].map((score, index) => ({ index, object: 'score', score })),
      usage: { prompt_tokens: 12, total_tokens: 12 },
    });
    const pairs = await send(path, { model, queries: ['a', 'b'], documents: ['0.5', '0.75'] });
    expect(pairs.body.data.map(({ score }: { score: number }) => score)).toEqual([0.5, 0.75]);
    expect(services.engine.ranked.slice(-2).map((ranked) => ranked.query)).toEqual(['a', 'b']);
  });

  test.each([
    [{ model, text_2: documents }, 'text_1: expected a string, or an array of strings'],
    [{ model, text_1: query, text_2: [] }, 'text_2: expected a string, or an array of strings'],
    [{ model, text_1: ['a', 'b'], text_2: documents }, 'text_1 must be one text, or have as many texts as text_2'],
    [{ model, text_1: Array(129).fill('a'), text_2: documents }, 'more than 128 queries in one request'],
  ])('wrong texts are refused: %#', async (body, message) => {
    const answer = await send(path, body);
    expect([answer.status, answer.body.error.message]).toEqual([400, message]);
  });
});

describe.each(['/classify', '/v1/classify'])('%s', (path) => {
  // Not before: with two, requests without a model are refused.
  beforeAll(async () => {
    const { metadata, tensors } = rerankerContent('bert');
    const labels = { type: 'strings', value: ['good', 'bad'] } as const;
    await fixture.putModel('classifier', {
      metadata: { ...metadata, 'bert.classifier.output_labels': labels },
      tensors,
    });
  });

  test('the likeliest class of each text, by the labels of the model', async () => {
    const { status, body } = await send(path, { model: 'classifier', input: ['0', '2'] });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^classify-/),
      object: 'list',
      created: expect.any(Number),
      model: 'classifier',
      data: [
        { index: 0, label: 'good', probs: [0.5, 0.5].map((share) => expect.closeTo(share, 6)), num_classes: 2 },
        { index: 1, label: 'bad', probs: [0.1192, 0.8808].map((share) => expect.closeTo(share, 4)), num_classes: 2 },
      ],
      usage: { prompt_tokens: 8, total_tokens: 8 },
    });
    expect(services.engine.ranked.at(-1)).toEqual({ documents: ['0', '2'], truncate: true });
    const { body: raw } = await send(path, { model: 'classifier', input: '2', use_activation: false });
    expect(raw.data).toEqual([{ index: 0, label: 'bad', probs: [0, 2], num_classes: 2 }]);
  });

  test.each([
    [{ model: 'classifier' }, 'input: expected a string, or an array of strings'],
    [{ model: 'classifier', input: [] }, 'input: expected a string, or an array of strings'],
    [{ model: 'classifier', input: [1] }, 'input: expected a string, or an array of strings'],
    // A decoder that ranks, and a model without a head.
    [{ model, input: 'a' }, '"ranker" does not support classify'],
    [{ model: 'plain', input: 'a' }, '"plain" does not support classify'],
  ])('refused: %j', async (body, message) => {
    const answer = await send(path, body);
    expect([answer.status, answer.body.error.message]).toEqual([400, message]);
  });
});

describe('errors', () => {
  const cases: readonly [object, number, string | RegExp][] = [
    [{ model, documents }, 400, 'query is required'],
    [{ model, query }, 400, 'documents is required, with at least one document'],
    [{ model, query, documents: [] }, 400, 'documents is required, with at least one document'],
    [{ model, query, documents: 'one' }, 400, 'documents: expected an array'],
    [{ model, query, documents: ['0.1', 2] }, 400, 'documents[1]: expected a string, or an object with a text'],
    [{ model, query, documents: [null] }, 400, 'documents[0]: expected a string, or an object with a text'],
    [{ model, query, documents, top_n: -1 }, 400, 'top_n: expected a number that is not negative'],
    [{ model, query, documents, method: 'best' }, 400, 'method: expected one of rank, cosine'],
    [{ model: 'nosuch', query, documents }, 404, "model 'nosuch' not found"],
    [{ model: 'plain', query, documents }, 400, /"plain" does not support rerank/],
    [{ model, query, documents, options: { num_ctx: 'x' } }, 400, /num_ctx/],
  ];

  test.each(cases)('%j: %d in the shape of each dialect', async (body, status, expected) => {
    const matching = typeof expected === 'string' ? expected : expect.stringMatching(expected);
    const openAi = await send('/v1/rerank', body);
    expect([openAi.status, openAi.body.error.message]).toEqual([status, matching]);
    const cohere = await send('/v2/rerank', body);
    expect([cohere.status, cohere.body]).toMatchObject([status, { message: matching, code: expect.any(String) }]);
    const ollama = await send('/api/rerank', body);
    expect(ollama.body.error).toEqual(matching);
  });

  test('a request to /api/rerank must name its model', async () => {
    const { status, body } = await send('/api/rerank', { query, documents });
    expect([status, body]).toEqual([400, { error: expect.any(String), code: 'bad_request' }]);
  });

  test('without a model, there must be exactly one reranker', async () => {
    await fixture.putModel('second', rerankerContent('bert'));
    const { status, body } = await send('/rerank', { query, texts: documents });
    expect([status, body.error.message]).toEqual([
      400,
      expect.stringMatching(/^model is required: the store has several rerankers, such as .*(?:ranker|second):latest/),
    ]);
  });
});

test('the capability of a reranker is rerank', async () => {
  expect((await send('/api/show', { model })).body.capabilities).toEqual(['rerank']);
  const { status, body } = await send('/api/generate', { model, prompt: 'Hi', stream: false });
  expect([status, body.error]).toEqual([400, '"ranker" does not support generate']);
});
