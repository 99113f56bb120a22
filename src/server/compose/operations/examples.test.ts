// The examples of the documentation are accepted by their routes.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, createApi } from '../../../../test/support/api-fixture.ts';
import { answerWith } from '../../../../test/support/fake-engine.ts';
import {
  createServiceFixture,
  rerankerContent,
  type ServiceFixture,
} from '../../../../test/support/service-fixture.ts';
import { operationKey } from '../../http/openapi/operation.ts';
import { operationTable } from './operation-table.ts';

let fixture: ServiceFixture;
let api: Api;
beforeAll(async () => {
  fixture = createServiceFixture();
  await fixture.putModel('ember', { template: '{{ .System }}{{ .Tools }}{{ .Prompt }}' });
  await fixture.putModel('my-classifier', rerankerContent('bert'));
  const embed = ({ texts }: { readonly texts: readonly unknown[] }) => ({
    vectors: texts.map(() => Float32Array.of(3, 4)),
    tokens: texts.map(() => 1),
  });
  const rank = ({ documents }: { readonly documents: readonly string[] }) => ({
    scores: documents.map(() => 1),
    outputs: documents.map(() => Float32Array.of(1)),
    tokens: documents.map(() => 1),
  });
  api = createApi(fixture.createServices({ answers: new Array(100).fill(answerWith('Hello')), embed, rank }));
});
afterAll(async () => {
  await api.close();
  fixture.remove();
});

// In the order of the routes: the model that is deleted is the one that was copied.
test('every example with a body succeeds', async () => {
  const sent: string[] = [];
  for (const route of api.routes) {
    const key = operationKey(route);
    const body = operationTable[key]?.example.body;
    if (body === undefined) continue;
    // Streams of Ollama wait for a clock.
    const { statusCode, body: text } = await api.send(route, key.includes(' /api') ? { ...body, stream: false } : body);
    expect([key, statusCode, text.slice(0, 200)]).toEqual([key, 200, expect.any(String)]);
    sent.push(key);
  }
  expect(sent.length).toBeGreaterThan(20);
});
