// POST /api/tokenize and POST /api/detokenize: each test name states a rule.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Body, generate, post } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const tokenize = async (body: Body) =>
  (await post<{ tokens: number[] }>(server.url, '/api/tokenize', { model: 'ember', ...body })).objects[0];
const detokenize = async (body: Body) =>
  (await post<{ text: string }>(server.url, '/api/detokenize', { model: 'ember', ...body })).objects[0];

test.each(['Why is the sky blue?', ' leading', 'ünïcödé 🦊 漢字', '<|im_start|>user\nHi<|im_end|>', ''])(
  '%j comes back from its tokens',
  async (text) => {
    const { tokens = [] } = (await tokenize({ text })) ?? {};
    expect(tokens.every(Number.isInteger)).toBe(true);
    expect(await detokenize({ tokens })).toEqual({ model: 'ember', text });
  },
);

test('special tokens are recognized in the text and, on request, added around it', async () => {
  expect((await tokenize({ text: '<|im_end|>' }))?.tokens).toHaveLength(1);
  const bare = (await tokenize({ text: 'a fox' }))?.tokens ?? [];
  const framed = (await tokenize({ text: 'a fox', add_special: true }))?.tokens ?? [];
  expect(framed.join(' ')).toContain(bare.join(' '));
  const { prompt_eval_count } = await generate(server.url, { prompt: 'a fox', raw: true, options: { num_predict: 1 } });
  expect(framed).toHaveLength(prompt_eval_count as number);
});

test.each([
  ['/api/tokenize', { model: 'nobody', text: 'x' }, 404, 'not found'],
  ['/api/tokenize', { text: 'x' }, 400, 'model is required'],
  ['/api/tokenize', { model: 'ember', text: 'x'.repeat(300_000) }, 400, 'longer than'],
  ['/api/detokenize', { model: 'ember', tokens: [99_999_999] }, 400, 'is not a token'],
  ['/api/detokenize', { model: 'ember', tokens: [-1] }, 400, 'is not a token'],
  ['/api/detokenize', { model: 'ember', tokens: ['x'] }, 400, 'tokens[0]'],
  ['/api/detokenize', { model: 'ember', tokens: Array(200_000).fill(1) }, 400, 'more than'],
])('%s refuses invalid requests', async (path, body, status, message) => {
  const reply = await post<object>(server.url, path, body);
  expect([reply.status, reply.objects[0]?.error]).toEqual([status, expect.stringContaining(message)]);
});
