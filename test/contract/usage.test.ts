// GET /api/usage, GET /api/requests/log and `hearth usage`: each test name states a rule.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseRecord } from '../../src/features/usage/log/usage-record.ts';
import type { RequestLogResponseBody } from '../../src/features/usage/request-log-schema.ts';
import type { UsageResponseBody } from '../../src/features/usage/usage-schema.ts';
import { generate, post } from '../support/client.ts';
import { hearth } from '../support/command.ts';
import { startServer, type TestServer } from '../support/server.ts';

const secret = 'mulberry harbour';
let server: TestServer;
let answer: Awaited<ReturnType<typeof generate>>;
beforeAll(async () => {
  server = await startServer({ environment: { HEARTH_REQUEST_LOG: '5' } });
  answer = await generate(server.url, { prompt: secret, options: { num_predict: 8 } });
  await post(server.url, '/api/embed', { model: 'ember', input: secret });
  await post(server.url, '/api/generate', { model: 'no-such-model', prompt: secret });
  await fetch(`${server.url}/api/tags`);
});
afterAll(() => server.stop());

async function read<Body>(path: string): Promise<Body> {
  const response = await fetch(server.url + path);
  expect(response.status).toBe(200);
  return (await response.json()) as Body;
}

test('usage has the tokens that the responses report', async () => {
  const { groups, total } = await read<UsageResponseBody>('/api/usage');
  expect(groups.map(({ name, requests, failed }) => [name, requests, failed])).toEqual([
    ['ember:latest', 2, 0],
    ['', 1, 1],
  ]);
  expect(total.generated_tokens).toBe(answer.eval_count);
  expect(total.prompt_tokens).toBeGreaterThan(answer.prompt_eval_count ?? 0);
});

test('the file has one line per request, no text, and is only for its owner', () => {
  const folder = join(dirname(server.store), '.hearth', 'usage');
  const [name = ''] = readdirSync(folder);
  const text = readFileSync(join(folder, name), 'utf8');
  expect(text).not.toContain('mulberry');
  const lines = text.trimEnd().split('\n').map(parseRecord);
  expect(lines.map((record) => record?.outcome)).toEqual(['ok', 'ok', 'model_not_found']);
  expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
});

test('the command prints a table or the response', async () => {
  const { stdout } = await hearth(['usage', '--by', 'day', '--since', '1d'], { url: server.url });
  expect(stdout).toMatch(/^DAY {2,}REQUESTS.*\n\d{4}-\d\d-\d\d {2,}3 /);
  const { stdout: json } = await hearth(['usage', '--json'], { url: server.url });
  expect(JSON.parse(json)).toEqual(await read('/api/usage'));
  const wrong = await hearth(['usage', '--since', 'yesterday'], { url: server.url });
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('is not a period such as')]);
});

test('the request log has the prompt as rendered and the answer', async () => {
  const { keeps, requests } = await read<RequestLogResponseBody>('/api/requests/log');
  expect(keeps).toBe(5);
  expect(requests.map(({ endpoint }) => endpoint)).toEqual(['/api/generate', '/api/embed', '/api/generate']);
  const [exchange] = requests.at(-1)?.exchanges ?? [];
  expect(exchange?.prompt).toContain(secret);
  expect(exchange?.prompt).not.toBe(secret);
  expect(exchange?.answer).toContain(answer.response);
});

test('everyone can see that the request log is on', async () => {
  expect(await read('/api/version')).toMatchObject({ request_log: 5 });
  expect((await hearth(['ps'], { url: server.url })).stdout).toContain('The request log is on');
  expect(server.log()).toContain('the request log is on');
});
