// Fields of /v1 that other servers have, and that their documentation tells people to send.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Body } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const question = 'Tell me a story about a fox.';
const messages = [{ role: 'user', content: question }];

/** The text of an answer, and its number of tokens, on each route that generates. */
const routes: readonly (readonly [string, Body, (answer: never) => { text: string; tokens: number }])[] = [
  [
    '/v1/chat/completions',
    { messages },
    ({ choices, usage }: { choices: [{ message: { content: string } }]; usage: { completion_tokens: number } }) => ({
      text: choices[0].message.content,
      tokens: usage.completion_tokens,
    }),
  ],
  [
    '/v1/completions',
    { prompt: question },
    ({ choices, usage }: { choices: [{ text: string }]; usage: { completion_tokens: number } }) => ({
      text: choices[0].text,
      tokens: usage.completion_tokens,
    }),
  ],
  [
    '/v1/responses',
    { input: question },
    ({ output, usage }: { output: [{ content: [{ text: string }] }]; usage: { output_tokens: number } }) => ({
      text: output[0].content[0].text,
      tokens: usage.output_tokens,
    }),
  ],
  [
    '/v1/messages',
    { messages },
    ({ content, usage }: { content: [{ text: string }]; usage: { output_tokens: number } }) => ({
      text: content[0].text,
      tokens: usage.output_tokens,
    }),
  ],
];

async function send(path: string, body: Body): Promise<{ status: number; headers: Headers; body: never }> {
  const response = await fetch(server.url + path, {
    method: 'POST',
    body: JSON.stringify({ model: 'ember', ...body }),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as never };
}

describe.each(routes)('%s: options are fields of the request', (path, base, read) => {
  const ask = async (fields: Body) => read((await send(path, { ...base, ...fields })).body);
  const wild = { temperature: 2, seed: 1, num_predict: 12 };

  test.each([{ top_k: 1 }, { min_p: 1 }, { typical_p: 0.0001 }, { top_n_sigma: 0.0001 }])('%j', async (fields) => {
    const { text, tokens } = await ask({ ...wild, ...fields });
    expect(tokens).toBe(12);
    expect((await ask({ ...wild, ...fields, seed: 2 })).text).toBe(text);
    expect((await ask(wild)).text).not.toBe(text);
  });

  test.each([
    { repetition_penalty: 3 },
    { repeat_penalty: 3 },
    { mirostat: 2, temperature: 1 },
    { xtc_probability: 1, temperature: 1 },
    { dry_multiplier: 100, dry_allowed_length: 1, dry_penalty_last_n: -1, dry_sequence_breakers: [] },
  ])('%j', async (fields) => {
    const plain = { temperature: 0, n_predict: 40 };
    expect((await ask({ ...plain, ...fields, seed: 1 })).text).not.toBe((await ask(plain)).text);
  });

  test('a wrong type is a bad request', async () => {
    const { status, body } = await send(path, { ...base, min_p: 'many' });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain('option \\"min_p\\" must be of type float32');
  });

  test('ignore_eos and min_tokens', async () => {
    const short = { temperature: 0, ...(path === '/v1/completions' ? { prompt: 'Hi' } : {}) };
    expect((await ask({ ...short, ignore_eos: true, num_predict: 150 })).tokens).toBe(150);
    const { tokens } = await ask(short);
    expect((await ask({ ...short, min_tokens: tokens + 20 })).tokens).toBeGreaterThanOrEqual(tokens + 20);
  });
});
