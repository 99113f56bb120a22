// GET /metrics: each test name states a rule.

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { generate, post } from '../support/client.ts';
import { pause } from '../support/processes.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ environment: { HEARTH_LOG_FORMAT: 'json', HEARTH_METRICS_SCOPE: 'open' } });
});
afterAll(() => server.stop());

const secret = 'mulberry harbour';

/** Every series by name and labels. */
async function read(): Promise<Map<string, number>> {
  const response = await fetch(`${server.url}/metrics`);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const parts = /^(\S+(?:\{.*\})?) (\S+)$/.exec(line);
      if (parts === null) throw new Error(`not a sample: ${line}`);
      return [parts[1] as string, Number(parts[2])];
    }),
  );
}

// The metrics of the event loop once woke it a hundred times a second.
test.skipIf(process.platform !== 'linux')('a server without requests sleeps', async () => {
  const wakeUps = (): number =>
    Number(/^voluntary_ctxt_switches:\s+(\d+)$/m.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]);
  await expect
    .poll(async () => {
      const before = wakeUps();
      await pause(1000);
      return wakeUps() - before;
    })
    .toBeLessThan(20);
});

test('requests by endpoint, model and outcome; tokens, durations, prefix cache, memory', async () => {
  const options = { num_predict: 8, seed: 1 };
  const prompt = `${secret} `.repeat(30);
  const first = await generate(server.url, { prompt, options });
  await generate(server.url, { prompt, options });
  await post(server.url, '/api/embed', { model: 'ember', input: ['one', 'two'] });
  await post(server.url, '/api/generate', { model: 'no-such-model', prompt: secret });
  const series = await read();
  const ember = 'model="ember:latest"';
  expect(series.get(`hearth_requests_total{endpoint="/api/generate",${ember},outcome="ok"}`)).toBe(2);
  expect(series.get(`hearth_requests_total{endpoint="/api/embed",${ember},outcome="ok"}`)).toBe(1);
  expect(series.get('hearth_requests_total{endpoint="/api/generate",model="",outcome="model_not_found"}')).toBe(1);
  expect(series.get(`hearth_prompt_tokens_total{${ember}}`)).toBeGreaterThan(2 * (first.prompt_eval_count ?? 0));
  expect(series.get(`hearth_generated_tokens_total{${ember}}`)).toBeGreaterThanOrEqual(2);
  expect(series.get(`hearth_prefix_cache_requests_total{${ember},result="hit"}`)).toBe(1);
  expect(series.get(`hearth_prefix_cache_requests_total{${ember},result="miss"}`)).toBe(1);
  expect(series.get(`hearth_prefix_cache_tokens_total{${ember},result="hit"}`)).toBeGreaterThan(50);
  expect(series.get(`hearth_time_to_first_token_seconds_count{${ember}}`)).toBe(2);
  expect(series.get(`hearth_inter_token_seconds_count{${ember}}`)).toBeGreaterThanOrEqual(1);
  expect(series.get(`hearth_queue_wait_seconds_count{${ember}}`)).toBe(3);
  expect(series.get(`hearth_embedded_texts_total{${ember}}`)).toBe(2);
  expect(series.get(`hearth_model_load_seconds_count{${ember}}`)).toBe(1);
  expect(series.get(`hearth_model_memory_bytes{${ember},where="main"}`)).toBeGreaterThan(30_000_000);
  expect(series.get('hearth_models{state="idle"}')).toBe(1);
});

test('crashes and restarts of runners are counted', async () => {
  await generate(server.url, { prompt: 'Hi', options: { num_predict: 1 } });
  const [runner] = server.runners();
  // 0 would end the process group of the tests.
  if (runner === undefined) throw new Error('no runner was found');
  process.kill(runner, 'SIGKILL');
  while (!server.log().includes('has terminated')) await pause(10);
  await generate(server.url, { prompt: 'Hi', options: { num_predict: 1 } });
  const series = await read();
  expect(series.get('hearth_runner_crashes_total{model="ember:latest"}')).toBe(1);
  expect(series.get('hearth_runner_restarts_total{model="ember:latest"}')).toBe(1);
});

test('every request is logged with its id; prompts and answers are never logged or in metrics', async () => {
  const { headers } = await post(server.url, '/api/generate', { model: 'ember', prompt: `Say: ${secret}` });
  const id = headers.get('x-request-id') ?? '';
  const ofRequest = () =>
    server
      .log()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ request }) => request === id);
  while (ofRequest().length < 2) await pause(10);
  expect(ofRequest()).toMatchObject([
    { message: 'answered', model: 'ember:latest', prompt: expect.any(Number) },
    { message: 'POST /api/generate', status: 200, outcome: 'ok', model: 'ember:latest' },
  ]);
  expect(server.log()).not.toContain(secret);
  expect(await (await fetch(`${server.url}/metrics`)).text()).not.toContain(secret);
});

// The last test: the server has keys after it.
test('a setting lets everybody read the metrics, and nothing else, of a server with keys', async () => {
  expect((await post(server.url, '/api/keys', { name: 'ops', scope: 'admin' })).status).toBe(200);
  expect((await fetch(`${server.url}/api/tags`)).status).toBe(401);
  expect((await read()).get('hearth_requests_waiting')).toBe(0);
});
