// Clients in Go send every field of a request, with an empty value where nothing is set. Such a request gets the answer
// of the request without these fields.

import type { TObject } from 'typebox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, createApi } from '../../../test/support/api-fixture.ts';
import { answerWith } from '../../../test/support/fake-engine.ts';
import { createServiceFixture, rerankerContent, type ServiceFixture } from '../../../test/support/service-fixture.ts';
import type { EmbedRequest } from '../../inference/model/vectors.ts';
import type { FieldSchema } from '../http/body.ts';
import type { Route } from '../http/route.ts';

let fixture: ServiceFixture;
let api: Api;
beforeAll(async () => {
  fixture = createServiceFixture();
  const embed = ({ texts }: EmbedRequest) => ({ vectors: texts.map(() => Float32Array.of(3, 4)), tokens: [1] });
  const rank = () => ({ scores: [1], outputs: [Float32Array.of(1)], tokens: [1] });
  api = createApi(fixture.createServices({ answers: new Array(100).fill(answerWith('Hello')), embed, rank }));
  await fixture.putModel('base', { template: '{{ .System }}{{ .Tools }}{{ .Prompt }}', system: 'Be brief.' });
  await fixture.putModel('other', {});
  await fixture.putModel('classifier', rerankerContent('bert'));
});
afterAll(async () => {
  await api.close();
  fixture.remove();
});

const messages = [{ role: 'user', content: 'Hi' }];
const rerankRequest = { model: 'base', query: 'Hi', documents: ['Ho'], method: 'cosine' };
/** Requests with the fields that they need, by path. */
const requests: Readonly<Record<string, object>> = {
  '/api/generate': { model: 'base', prompt: 'Hi', stream: false },
  '/api/chat': { model: 'base', messages, stream: false },
  '/api/embed': { model: 'base', input: 'Hi' },
  '/api/embeddings': { model: 'base', prompt: 'Hi' },
  '/api/rerank': rerankRequest,
  '/api/tokenize': { model: 'base', text: 'Hi' },
  '/api/detokenize': { model: 'base', tokens: [72, 105] },
  '/api/show': { name: 'base' },
  '/api/create': { name: 'new', from: 'base', stream: false },
  '/api/copy': { source: 'base', destination: 'copy' },
  '/api/delete': { name: 'other' },
  '/api/pull': { name: 'base', stream: false },
  '/api/push': { name: 'me/base', stream: false },
  '/api/score': { model: 'base', context: 'a', continuations: ['b'] },
  '/v1/chat/completions': { model: 'base', messages },
  '/v1/completions': { model: 'base', prompt: 'Hi' },
  '/v1/embeddings': { model: 'base', input: 'Hi' },
  '/v1/responses': { model: 'base', input: 'Hi' },
  '/v1/responses/compact': { model: 'base', input: 'Hi' },
  '/v1/responses/input_tokens': { model: 'base', input: 'Hi' },
  '/v1/messages': { model: 'base', messages },
  '/v1/messages/count_tokens': { model: 'base', messages },
  '/v1/score': { model: 'base', text_1: 'Hi', text_2: 'Ho', method: 'cosine' },
  '/v1/classify': { model: 'classifier', input: 'Hi' },
  '/classify': { model: 'classifier', input: 'Hi' },
  '/score': { model: 'base', text_1: 'Hi', text_2: 'Ho', method: 'cosine' },
  '/v1/rerank': rerankRequest,
  '/v1/reranking': rerankRequest,
  '/v2/rerank': rerankRequest,
  '/rerank': rerankRequest,
  '/reranking': rerankRequest,
};

/** As Ollama's commands marshal them. */
const goRequests: Readonly<Record<string, object>> = {
  '/api/generate': {
    ...{ model: 'base', prompt: 'Hi', suffix: '', system: '', template: '', context: null, stream: false, raw: false },
    ...{ format: '', keep_alive: null, images: null, options: null },
  },
  '/api/chat': { model: 'base', messages, stream: false, format: null, tools: null, options: {} },
  '/api/show': { model: '', system: '', template: '', verbose: false, options: null, name: 'base' },
  '/api/create': {
    ...{ model: '', stream: false, quantize: '', from: 'base', files: null, adapters: null, template: '', system: '' },
    ...{ license: null, parameters: null, messages: null, renderer: '', parser: '', requires: '', info: null },
    ...{ name: 'new', quantization: '', modelfile: '', path: '' },
  },
  '/api/delete': { model: '', name: 'other' },
  '/api/pull': { model: '', insecure: false, username: '', password: '', stream: false, name: 'base' },
  '/api/push': { model: '', insecure: false, username: '', password: '', stream: false, name: 'me/base' },
};

// Fields whose empty value is not "not set", and which Go does not send.
const meaningful = ['think', 'format'];

/** An empty value of the type of each field that the request does not have. */
function withEmptyFields(body: object, { properties }: { readonly properties: object }): object {
  const missing = Object.entries(properties as Record<string, FieldSchema & { type?: string }>)
    .filter(([name]) => !Object.hasOwn(body, name) && !meaningful.includes(name))
    .map(([name, { type = 'unknown', zeroIsAbsent }]) => [name, zeroIsAbsent ? 0 : emptyValues[type]] as const);
  return { ...Object.fromEntries(missing.map(([name, value]) => [name, value ?? null])), ...body };
}

const emptyValues: Readonly<Record<string, unknown>> = { string: '', array: [], object: {}, unknown: '' };

const routeOf = (path: string): Route => api.routes.find((route) => route.path === path) as Route;

async function answerTo(path: string, body: object): Promise<[number, string]> {
  const { statusCode, body: text } = await api.send(routeOf(path), body);
  if (path === '/api/delete') await fixture.putModel('other', {});
  return [statusCode, text];
}

test('every request with a body is in the table', () => {
  const paths = api.routes.filter(({ body }) => body !== undefined).map(({ path }) => path);
  expect(Object.keys(requests).sort()).toEqual(paths.sort());
});

test.each(Object.entries(requests))('%s: empty fields are absent', async (path, body) => {
  const expected = await answerTo(path, body);
  expect(expected[0]).toBe(200);
  expect(await answerTo(path, withEmptyFields(body, routeOf(path).body as TObject))).toEqual(expected);
});

test.each(Object.entries(goRequests))('%s as Go marshals it', async (path, body) => {
  expect(await answerTo(path, body)).toEqual(await answerTo(path, requests[path] as object));
});

test('create with empty texts keeps those of the base', async () => {
  expect((await answerTo('/api/create', goRequests['/api/create'] as object))[0]).toBe(200);
  const [, shown] = await answerTo('/api/show', { model: 'new' });
  expect(JSON.parse(shown)).toMatchObject({ system: 'Be brief.', template: '{{ .System }}{{ .Tools }}{{ .Prompt }}' });
});

test('empty fields of messages and tools are absent', async () => {
  const message = { role: 'user', content: 'Hi', thinking: '', images: null, tool_calls: [], tool_name: '' };
  const tool = { type: 'function', function: { name: 'f', description: '', parameters: {} } };
  const chat = { model: 'base', messages: [{ ...message, tool_call_id: '' }], tools: [tool], stream: false };
  expect((await answerTo('/api/chat', chat))[0]).toBe(200);
  expect((await answerTo('/v1/chat/completions', { ...chat, reasoning_effort: '', n: 0 }))[0]).toBe(200);
});

test('a tool without a function is ignored', async () => {
  for (const path of ['/api/chat', '/v1/chat/completions']) {
    const tools = [{ type: 'web_search' }, { type: 'function', function: null }, { type: 'function', function: {} }];
    expect((await answerTo(path, { model: 'base', messages, tools, stream: false }))[0]).toBe(200);
  }
});

test('values that are empty and mean something are kept', async () => {
  expect(await answerTo('/api/chat', { model: 'base', messages, think: '' })).toEqual([
    400,
    expect.stringContaining('invalid think value'),
  ]);
  expect((await answerTo('/v1/embeddings', { model: 'base', input: '' }))[0]).toBe(200);
  expect((await answerTo('/v1/embeddings', { model: 'base', input: [] }))[0]).toBe(400);
  const empty = [{ role: 'user', content: '' }];
  expect((await answerTo('/v1/chat/completions', { model: 'base', messages: empty }))[0]).toBe(200);
});
