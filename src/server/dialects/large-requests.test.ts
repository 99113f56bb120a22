// Requests with too many values, too long texts or too deep nesting are refused while they are read or before the model is
// asked, with the status that says so.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, createApi } from '../../../test/support/api-fixture.ts';
import { createServiceFixture, type ServiceFixture } from '../../../test/support/service-fixture.ts';
import type { Route } from '../http/route.ts';

let fixture: ServiceFixture;
let api: Api;
beforeAll(async () => {
  fixture = createServiceFixture();
  await fixture.putModel('plain', { template: '{{ .Prompt }}' });
  // The engine has no answers: a request that reached it would be a server error.
  api = createApi(fixture.createServices({ answers: [] }));
});
afterAll(async () => {
  await api.close();
  fixture.remove();
});

const many = <Value>(count: number, value: Value): Value[] => new Array(count).fill(value);
const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));
const user = { role: 'user', content: 'a' };
const item = { type: 'message', ...user };
const call = { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' };
const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object' } } };
const called = (args: unknown) => ({ role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: args } }] });

test.each<[string, string, object, number, string]>([
  ['10,000 texts to embed', '/api/embed', { input: many(10_000, 'a') }, 400, 'input has more than 8192 elements'],
  ['10,000 texts to embed', '/v1/embeddings', { input: many(10_000, 'a') }, 400, 'input has more than 8192 elements'],
  ['9,000 items', '/v1/responses', { input: many(9000, item) }, 400, 'input has more than 8192 elements'],
  ['9,000 function calls', '/v1/responses', { input: many(9000, call) }, 400, 'input has more than 8192 elements'],
  ['25,000 messages', '/v1/messages/count_tokens', { messages: many(25_000, user) }, 413, 'more than 100000 names'],
  ['10,001 messages', '/api/chat', { messages: many(10_001, user) }, 400, 'at most 10000 messages'],
  [
    '2,000 tools of which one must be called',
    '/v1/chat/completions',
    { messages: [user], tools: many(2000, tool), tool_choice: 'required' },
    400,
    'tools has more than 1024 elements',
  ],
  ['129 stop sequences', '/api/generate', { options: { stop: many(129, 'a') } }, 400, 'more than 128 elements'],
  ['129 stop sequences', '/v1/chat/completions', { messages: [user], stop: many(129, 'a') }, 400, 'more than 128'],
  ['129 stop sequences', '/v1/messages', { messages: [user], stop_sequences: many(129, 'a') }, 400, 'more than 128'],
  ['a long duration', '/api/generate', { keep_alive: '1h'.repeat(100) }, 400, 'keep_alive has more than 64 bytes'],
  ['a long name', '/api/generate', { model: '/'.repeat(2000) }, 400, 'model has more than 1024 bytes'],
  [
    'a long tool name',
    '/api/chat',
    { tools: [{ type: 'function', function: { name: 'f'.repeat(2000) } }] },
    400,
    'name has more than 1024 bytes',
  ],
  ['values in a call', '/api/chat', { messages: [called({ a: many(100_000, {}) })] }, 413, 'more than 100000 names'],
  [
    'values in the text of a call',
    '/api/chat',
    { messages: [called(JSON.stringify({ a: many(50_000, {}) }))] },
    413,
    'more than 50000 names and values',
  ],
  ['10,001 options', '/api/generate', { options: Object.fromEntries(many(10_001, 1).entries()) }, 413, '10000 names'],
])('%s in %s', async (_, path, body, status, message) => {
  const route = api.routes.find((one) => one.path === path) as Route;
  const answer = await api.send(route, { model: 'plain', max_tokens: 1, ...body });
  expect([answer.statusCode, answer.body]).toEqual([status, expect.stringContaining(message)]);
});

test.each(['/api/chat', '/v1/chat/completions', '/v1/messages', '/v1/responses', '/api/pull'])(
  'nesting of thousands of levels in %s',
  async (path) => {
    const route = api.routes.find((one) => one.path === path) as Route;
    for (const name of ['tools', 'messages', 'model']) {
      const answer = await api.send(route, { model: 'plain', [name]: nested(3000) });
      expect([answer.statusCode, answer.body]).toEqual([400, expect.stringContaining('more than 256 levels')]);
    }
  },
);
