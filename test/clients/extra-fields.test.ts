// Fields that the SDK of OpenAI does not know, sent through it: what Python's `extra_body` sends.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';
import { openOpenAi } from './open-openai.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const request = { model: 'ember', messages: [{ role: 'user' as const, content: 'Is the sky blue?' }], temperature: 0 };

test('fields of other servers pass the SDK, have their effect, and others are named', async () => {
  const { completions } = openOpenAi(server.url).chat;
  const extra = { guided_choice: ['certainly', 'never'], top_k: 20, min_p: 0.1, return_token_ids: true };
  const { data, response } = await completions
    .create({ ...request, ...extra, frobnicate: 1 } as typeof request)
    .withResponse();
  expect(['certainly', 'never']).toContain(data.choices[0]?.message.content);
  expect(data.choices[0]).toHaveProperty('token_ids', expect.any(Array));
  expect(response.headers.get('x-hearth-ignored')).toBe('frobnicate');
});

test('what a benchmark sends: a length that is exact, and counts in each chunk', async () => {
  const { completions } = openOpenAi(server.url).chat;
  const stream_options = { include_usage: true, continuous_usage_stats: true };
  const extra = { ignore_eos: true, max_tokens: 40, stream_options };
  const counts: (number | undefined)[] = [];
  for await (const { usage } of await completions.create({ ...request, ...extra, stream: true as const }))
    counts.push(usage?.completion_tokens);
  expect(counts).not.toContain(undefined);
  expect(counts.at(-1)).toBe(40);
});
