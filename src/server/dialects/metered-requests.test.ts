// What is recorded about a request, in every dialect: the outcome, and the tokens that the response reports.

import { once } from 'node:events';
import { request } from 'node:http';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Api, createApi } from '../../../test/support/api-fixture.ts';
import { answerWith, done, type EngineScript, started, text } from '../../../test/support/fake-engine.ts';
import { createServiceFixture, rerankerContent } from '../../../test/support/service-fixture.ts';
import { HearthError } from '../../base/errors.ts';
import { systemClock } from '../../base/time/clock.ts';
import type { FinishedRequest } from '../http/request-end.ts';

const fixture = createServiceFixture();
const template = '{{ range .Messages }}{{ .Role }}:{{ .Content }}\n{{ end }}';
const withTools = `{{ if .Tools }}<tool_call>{{ end }}${template}`;
beforeAll(async () => {
  await fixture.putModel('base', { template });
  await fixture.putModel('tools', { template: withTools });
  await fixture.putModel('thinks', {
    template:
      '{{ if .Think }}think\n{{ end }}{{ range .Messages }}{{ .Role }}:{{ if .Thinking }}<think>{{ .Thinking }}</think>{{ end }}{{ .Content }}\n{{ end }}',
  });
  await fixture.putModel('ranks', rerankerContent('bert'));
});
afterAll(() => fixture.remove());

let api: Api;
afterEach(() => api.close());

interface Sending {
  readonly script?: EngineScript;
  readonly cut?: boolean;
}

/** Sends a request over a connection, and resolves with what was recorded when it has ended. */
async function record(
  path: string,
  body: object,
  { script = {}, cut = false }: Sending = {},
): Promise<FinishedRequest> {
  // Streams have gaps in time.
  api = createApi({ ...fixture.createServices(script), clock: systemClock });
  const url = await api.listen();
  const call = request(url + path, { method: 'POST', agent: false }).on('error', () => {});
  call.end(JSON.stringify(body));
  const [response] = await once(call, 'response');
  if (cut) {
    await once(response, 'data');
    call.destroy();
  } else for await (const _ of response);
  await expect.poll(() => api.finished.length, { interval: 5 }).toBeGreaterThan(0);
  return api.finished[0] as FinishedRequest;
}

const messages = [{ role: 'user', content: 'Hi' }];
const two = { answers: [answerWith('Hel', 'lo.'), answerWith('Hello')] };
const tokens = { promptTokens: 7, cachedTokens: 2, generatedTokens: 3 };

test.each([
  ['/api/generate', 'Ollama', { prompt: 'Hi' }],
  ['/api/generate', 'Ollama', { prompt: 'Hi', stream: false }],
  ['/api/chat', 'Ollama', { messages }],
  ['/api/chat', 'Ollama', { messages, stream: false }],
  ['/v1/completions', 'OpenAI', { prompt: 'Hi' }],
  ['/v1/completions', 'OpenAI', { prompt: 'Hi', stream: true }],
  ['/v1/chat/completions', 'OpenAI', { messages }],
  ['/v1/chat/completions', 'OpenAI', { messages, stream: true }],
  ['/v1/responses', 'OpenAI', { input: 'Hi' }],
  ['/v1/responses', 'OpenAI', { input: 'Hi', stream: true }],
  ['/v1/responses/compact', 'OpenAI', { input: 'Hi' }],
  ['/v1/messages', 'Anthropic', { messages, max_tokens: 9 }],
  ['/v1/messages', 'Anthropic', { messages, max_tokens: 9, stream: true }],
])('an answer of %s (%s) is recorded: %j', async (path, dialect, body) => {
  const finished = await record(path, { model: 'base', ...body }, { script: two });
  expect(finished).toMatchObject({ endpoint: path, dialect, key: '', model: 'base:latest', outcome: 'ok', tokens });
});

test.each([
  ['/api/embed', 'Ollama', { model: 'base', input: ['a', 'b'] }, 6],
  ['/api/embeddings', 'Ollama', { model: 'base', prompt: 'a' }, 3],
  ['/v1/embeddings', 'OpenAI', { model: 'base', input: 'a' }, 3],
  ['/api/rerank', 'Ollama', { model: 'ranks', query: 'q', documents: ['a', 'b'] }, 8],
  ['/v1/rerank', 'OpenAI', { model: 'ranks', query: 'q', documents: ['a', 'b'] }, 8],
  ['/v2/rerank', 'Cohere', { model: 'ranks', query: 'q', documents: ['a', 'b'] }, 8],
  ['/classify', 'OpenAI', { model: 'ranks', input: ['a', 'b'] }, 8],
])('the tokens of %s (%s) are those of its texts', async (path, dialect, body, promptTokens) => {
  const script: EngineScript = {
    embed: ({ texts }) => ({ vectors: texts.map(() => Float32Array.of(1)), tokens: texts.map(() => 3) }),
    rank: ({ documents }) => ({
      scores: documents.map(() => 0.5),
      outputs: documents.map(() => Float32Array.of(0.5)),
      tokens: documents.map(() => 4),
    }),
  };
  const finished = await record(path, body, { script });
  expect(finished).toMatchObject({
    dialect,
    outcome: 'ok',
    tokens: { promptTokens, cachedTokens: 0, generatedTokens: 0 },
  });
});

test('several choices for one prompt count the prompt once, as the response reports it', async () => {
  const finished = await record('/v1/chat/completions', { model: 'base', messages, n: 2 }, { script: two });
  expect(finished.tokens).toEqual({ ...tokens, generatedTokens: 6 });
  await api.close();
  const prompts = await record('/v1/completions', { model: 'base', prompt: ['Hi', 'Ho'] }, { script: two });
  expect(prompts.tokens).toEqual({ promptTokens: 14, cachedTokens: 4, generatedTokens: 6 });
});

test('the tokens of a tool call count', async () => {
  const call = '<tool_call>{"name": "now", "arguments": {}}</tool_call>';
  const tools = [{ type: 'function', function: { name: 'now', parameters: { type: 'object', properties: {} } } }];
  const script = { answers: [answerWith(call)] };
  const finished = await record('/v1/chat/completions', { model: 'tools', messages, tools }, { script });
  expect(finished).toMatchObject({ outcome: 'ok', tokens });
});

test('thinking in a generation of its own is part of the one answer', async () => {
  const script = {
    answers: [
      [started, text('<think>a b</think>{'), done()],
      [{ ...started, promptTokens: 11, cachedTokens: 9 }, text('{}'), done('stop', { generatedTokens: 1 })],
    ] as const,
  };
  const body = { model: 'thinks', messages, format: 'json', stream: false };
  const finished = await record('/api/chat', body, { script });
  // Two words of the thinking, and one token of the second generation.
  expect(finished).toMatchObject({ outcome: 'ok', tokens: { promptTokens: 7, cachedTokens: 2, generatedTokens: 3 } });
});

test.each([
  ['/api/generate', { prompt: 'Hi' }],
  ['/api/chat', { messages }],
  ['/v1/completions', { prompt: 'Hi', stream: true }],
  ['/v1/chat/completions', { messages, stream: true }],
  ['/v1/responses', { input: 'Hi', stream: true }],
  ['/v1/messages', { messages, max_tokens: 9, stream: true }],
])('an aborted answer of %s has the tokens until then', async (path, body) => {
  const events = [started, text('Hel'), { ...text('lo'), generatedTokens: 5 }, 'hang'] as const;
  const finished = await record(path, { model: 'base', ...body }, { script: { answers: [events] }, cut: true });
  expect(finished).toMatchObject({ outcome: 'cancelled', tokens: { promptTokens: 7, cachedTokens: 2 } });
  expect([1, 5]).toContain(finished.tokens.generatedTokens);
});

test.each([
  ['/api/generate', { prompt: 'Hi' }],
  ['/api/chat', { messages, stream: false }],
  ['/v1/chat/completions', { messages, stream: true }],
  ['/v1/responses', { input: 'Hi', stream: true }],
  ['/v1/messages', { messages, max_tokens: 9, stream: true }],
])('an answer of %s that fails has its code and its tokens', async (path, body) => {
  const failure = new HearthError('runner_died', 'the runner has terminated');
  const script = { answers: [[started, { ...text('Hello'), generatedTokens: 2 }, failure]] };
  const finished = await record(path, { model: 'base', ...body }, { script });
  expect(finished).toMatchObject({ outcome: 'runner_died', tokens: { promptTokens: 7, generatedTokens: 2 } });
});

test.each([
  ['/api/generate', { model: 'none' }, 'model_not_found'],
  ['/api/chat', {}, 'bad_request'],
  ['/v1/chat/completions', { model: 7 }, 'bad_request'],
])('a refused request of %s is recorded without tokens: %j', async (path, body, outcome) => {
  const finished = await record(path, body);
  expect(finished).toMatchObject({
    outcome,
    model: '',
    tokens: { promptTokens: 0, cachedTokens: 0, generatedTokens: 0 },
  });
});

test('a response in the background is recorded when it has ended', async () => {
  const body = { model: 'base', input: 'Hi', background: true };
  const finished = await record('/v1/responses', body, { script: { answers: [answerWith('Hello.')] } });
  expect(finished).toMatchObject({ outcome: 'ok', model: 'base:latest', tokens });
  await api.close();
  const failure = new HearthError('runner_died', 'the runner has terminated');
  const failed = await record('/v1/responses', body, { script: { answers: [[started, text('Hello.'), failure]] } });
  expect(failed).toMatchObject({ outcome: 'runner_died', tokens: { promptTokens: 7, generatedTokens: 1 } });
});

test('the texts that are kept are those of the model: the rendered prompt and the whole answer', async () => {
  const body = { model: 'thinks', messages, stream: false };
  const script = { answers: [answerWith('<think>Hm.</think>', 'Hello.')] };
  const { exchanges } = await record('/api/chat', body, { script });
  expect(exchanges).toEqual([{ prompt: 'think\nuser:Hi\n', answer: '<think>Hm.</think>Hello.' }]);
});

test('every route that generates, embeds or ranks is metered, and no other', () => {
  api = createApi(fixture.createServices());
  const others = api.routes.filter(({ metered, method }) => metered !== true && method === 'POST');
  expect(others.map(({ path }) => path).sort()).toEqual([
    '/api/copy',
    '/api/create',
    '/api/detokenize',
    '/api/pull',
    '/api/push',
    '/api/show',
    '/api/tokenize',
    '/v1/messages/count_tokens',
    '/v1/responses/:id/cancel',
    '/v1/responses/input_tokens',
  ]);
});
