// Rerank with the AI SDK and its provider for Cohere, which has no other part that Hearth serves.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCohere } from '@ai-sdk/cohere';
import { rerank } from 'ai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addModel } from '../../support/models/endless-ember.ts';
import { randomBertWeights, writeBert } from '../../support/models/tiny-bert.ts';
import { startServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
  const folder = mkdtempSync(join(tmpdir(), 'hearth-rerank-'));
  writeBert(join(folder, 'bert.gguf'), randomBertWeights(20_266), 'rank');
  await addModel(server.store, 'bert-rank', readFileSync(join(folder, 'bert.gguf')));
  rmSync(folder, { recursive: true });
});
afterAll(() => server.stop());

const documents = ['a dog runs', 'on the mat', 'red green house', 'bird'];
const modelOf = (name: string) => createCohere({ baseURL: `${server.url}/v2`, apiKey: 'none' }).reranking(name);

test('the best documents with their scores', async () => {
  const { ranking, rerankedDocuments } = await rerank({
    model: modelOf('bert-rank'),
    query: 'the cat',
    documents,
    topN: 3,
  });
  const scores = ranking.map(({ score }) => score);
  expect(ranking).toHaveLength(3);
  expect(scores).toEqual([...scores].sort((a, b) => b - a));
  expect(rerankedDocuments).toEqual(ranking.map(({ originalIndex }) => documents[originalIndex]));
});

test('objects are documents as well', async () => {
  const objects = documents.map((text, id) => ({ id, text }));
  const { rerankedDocuments } = await rerank({ model: modelOf('bert-rank'), query: 'the cat', documents: objects });
  expect(rerankedDocuments.map(({ id }) => id).sort()).toEqual([0, 1, 2, 3]);
});

test('an error has the message of the server', async () => {
  const wrong = rerank({ model: modelOf('nosuch'), query: 'the cat', documents, maxRetries: 0 });
  await expect(wrong).rejects.toThrow("model 'nosuch' not found");
});
