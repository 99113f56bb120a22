// GET /openapi.json and GET /docs: each test name states a rule.

import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OpenApiDocument, Operation } from '../../src/server/http/openapi/to-openapi.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { weatherQuestion, weatherTool } from '../support/weather-tool.ts';

let server: TestServer;
let document: OpenApiDocument;
beforeAll(async () => {
  server = await startServer();
  document = (await (await fetch(`${server.url}/openapi.json`)).json()) as OpenApiDocument;
});
afterAll(() => server.stop());

const ajv = new Ajv2020({ strict: false, allErrors: true });
(addFormats as unknown as (validator: typeof ajv) => void)(ajv);

test('the document passes an independent OpenAPI validator', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document) as never);
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
});

test('every path exists on the server and is described', async () => {
  for (const [path, operations] of Object.entries(document.paths)) {
    // The response to an unknown method names the allowed methods.
    const response = await fetch(server.url + path.replace(/\{\w+\}/, 'x'), { method: 'PATCH' });
    const allowed = (response.headers.get('allow') ?? '').split(', ').filter((method) => method !== 'HEAD');
    const described = Object.keys(operations).map((method) => method.toUpperCase());
    expect([path, described.filter((method) => method !== 'HEAD').sort()]).toEqual([path, allowed.sort()]);
    for (const { summary } of Object.values(operations)) expect(summary).toMatch(/^[A-Z][a-z]+ .+/);
  }
});

test('every operation has a unique id', () => {
  const ids = Object.values(document.paths).flatMap((operations) =>
    Object.values(operations).map(({ operationId }) => operationId),
  );
  expect(new Set(ids).size).toBe(ids.length);
});

/** A schema that accepts only the fields that it lists. */
function withoutOtherFields(schema: object): object {
  if ('anyOf' in schema) return { anyOf: (schema.anyOf as object[]).map(withoutOtherFields) };
  return { ...schema, additionalProperties: false };
}

describe('responses match their schemas', () => {
  const hold = (operation: Operation | undefined, status: string, type: string, value: unknown): void => {
    const schema = operation?.responses[status]?.content?.[type]?.schema;
    if (schema === undefined) throw new Error(`nothing is said about ${status} ${type}`);
    const validate = ajv.compile(withoutOtherFields(schema));
    expect([validate(value), validate.errors]).toEqual([true, null]);
  };

  const messages = [{ role: 'user', content: 'Why is the sky blue?' }];
  const rerank = { query: 'a', documents: ['b', { text: 'c' }], method: 'cosine' };
  const short = { options: { num_predict: 4 } };
  test.each<[string, string, object | undefined]>([
    ['get', '/api/version', undefined],
    ['get', '/api/tags', undefined],
    ['post', '/api/show', {}],
    ['post', '/api/generate', { prompt: 'Hello!', logprobs: true, top_logprobs: 2, prompt_logprobs: 1, ...short }],
    ['post', '/api/chat', { messages, logprobs: true, ...short }],
    ['post', '/api/chat', { messages: [weatherQuestion], tools: [weatherTool] }],
    ['post', '/api/embed', { input: ['a', 'b'] }],
    ['post', '/api/embeddings', { prompt: 'a' }],
    ['post', '/api/rerank', rerank],
    ['post', '/v1/rerank', rerank],
    ['post', '/v2/rerank', { ...rerank, return_documents: false }],
    ['post', '/rerank', { query: 'a', texts: ['b', 'c'], return_text: true, method: 'cosine' }],
    ['post', '/api/score', { context: 'a', continuations: [' b'] }],
    ['post', '/api/compare', { against: 'ember', text: 'fox '.repeat(1200) }],
    ['post', '/api/tokenize', { text: 'a' }],
    ['post', '/api/detokenize', { tokens: [70] }],
    ['get', '/api/ps', undefined],
    ['get', '/api/queue', undefined],
    ['post', '/api/verify', {}],
    ['get', '/v1/models', undefined],
    ['post', '/v1/chat/completions', { messages, max_tokens: 4, logprobs: true, top_logprobs: 1 }],
    ['post', '/v1/chat/completions', { messages: [weatherQuestion], tools: [weatherTool] }],
    ['post', '/v1/completions', { prompt: 'Hello!', max_tokens: 4, logprobs: 2, echo: true }],
    ['post', '/v1/embeddings', { input: 'a' }],
    ['post', '/v1/embeddings', { input: 'a', encoding_format: 'base64' }],
    ['post', '/v1/messages', { messages, max_tokens: 4 }],
    ['post', '/v1/messages', { messages: [weatherQuestion], tools: [weatherTool.function] }],
    ['post', '/v1/messages', { model: 'ember-thinks', messages, thinking: { type: 'adaptive' }, max_tokens: 100 }],
    ['post', '/v1/messages/count_tokens', { messages }],
    ['post', '/v1/responses', { input: 'Why is the sky blue?', max_output_tokens: 4, top_logprobs: 1 }],
    ['post', '/v1/responses', { input: [weatherQuestion], tools: [{ type: 'function', ...weatherTool.function }] }],
    ['post', '/v1/responses', { model: 'ember-thinks', input: 'Hi.', reasoning: { summary: 'auto' } }],
    ['post', '/v1/responses/compact', { input: 'Hi.' }],
    ['post', '/v1/responses/input_tokens', { input: 'Hi.' }],
  ])('%s %s %j', async (method, path, body) => {
    const operation = document.paths[path]?.[method];
    const request = (stream: boolean) =>
      fetch(server.url + path, {
        method: method.toUpperCase(),
        ...(body === undefined ? {} : { body: JSON.stringify({ model: 'ember', ...body, stream }) }),
      });
    const response = await request(false);
    const value = (await response.json()) as { usage?: object };
    expect(response.status, JSON.stringify(value)).toBe(200);
    hold(operation, '200', 'application/json', value);
    const types = Object.keys(operation?.responses['200']?.content ?? {}).filter((type) => type !== 'application/json');
    for (const type of types) {
      const lines = (await (await request(true)).text()).split('\n').map((line) => line.replace(/^data: /, ''));
      for (const line of lines.filter((one) => one !== '' && one !== '[DONE]' && !one.startsWith('event: ')))
        hold(operation, '200', type, JSON.parse(line));
    }
  });

  test('log probabilities of a prompt, which no stream has', async () => {
    const body = { model: 'ember', prompt: 'Hello!', max_tokens: 4, prompt_logprobs: 1 };
    const response = await fetch(`${server.url}/v1/completions`, { method: 'POST', body: JSON.stringify(body) });
    const value = (await response.json()) as { choices: { prompt_logprobs?: unknown[] }[] };
    expect(value.choices[0]?.prompt_logprobs?.length).toBeGreaterThan(1);
    hold(document.paths['/v1/completions']?.['post'], '200', 'application/json', value);
  });

  test('errors', async () => {
    for (const path of ['/api/chat', '/v1/chat/completions', '/v1/messages', '/v1/responses', '/v2/rerank']) {
      const response = await fetch(server.url + path, { method: 'POST', body: '{}' });
      hold(document.paths[path]?.['post'], 'default', 'application/json', await response.json());
    }
  });
});

test('requests are validated by the documented schemas', async () => {
  const schema = document.paths['/api/generate']?.['post']?.requestBody?.content['application/json']?.schema;
  const validate = ajv.compile(schema as object);
  for (const body of [{ prompt: 3 }, { stream: 'yes' }, { images: 'x' }, { context: ['a'] }]) {
    const response = await fetch(`${server.url}/api/generate`, { method: 'POST', body: JSON.stringify(body) });
    expect([validate(body), response.status]).toEqual([false, 400]);
  }
});

test('/docs lists every path, and loads nothing from elsewhere', async () => {
  const response = await fetch(`${server.url}/docs`);
  const page = await response.text();
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  for (const path of Object.keys(document.paths)) expect(page).toContain(`<code>${path}</code>`);
  // An address in an example is text.
  expect(page).not.toMatch(/(?:src|href|action)="(?![/#][^/])|url\(|@import/);
  // With every route of today, at most 1,500 characters for each.
  const operations = Object.values(document.paths).flatMap((methods) => Object.keys(methods ?? {}));
  expect(page.length).toBeLessThan(1500 * operations.length);
});
