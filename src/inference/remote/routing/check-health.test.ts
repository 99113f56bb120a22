import { expect, test } from 'vitest';
import type { RemoteKind } from '../endpoint.ts';
import { fromNetwork, fromStatus } from '../http/remote-error.ts';
import type { EndpointFacts } from '../probe/endpoint-facts.ts';
import { createHealthCheck } from './check-health.ts';
import { maxMetricsBytes, metricsPause } from './limits.ts';

/** The texts, statuses and errors that an endpoint has by path. */
type Answers = Readonly<Record<string, string | number | Error>>;

function setUp(kind: RemoteKind | 'auto', answers: Answers) {
  const asked: string[] = [];
  const http = {
    async send(_endpoint: unknown, { path }: { readonly path: string }) {
      asked.push(path);
      const answer = answers[path] ?? 404;
      if (answer instanceof Error) throw answer;
      if (typeof answer === 'number') throw fromStatus('r', answer, '');
      return {
        contentType: '',
        sentBytes: 0,
        chunks: (async function* () {
          yield Buffer.from(answer);
        })(),
        collect() {},
        complete() {},
      };
    },
  };
  const facts: EndpointFacts = { kind: 'vllm', models: [], features: new Set(), version: '' };
  const ask = createHealthCheck({ remote: 'r', http, prober: { facts: async () => facts } });
  const endpoint = { id: 'a', url: 'http://a.example', kind, servedModel: '', keyRef: '', caFile: '' };
  return { asked, check: () => ask(endpoint, new AbortController().signal) };
}

async function check(kind: RemoteKind | 'auto', answers: Answers) {
  const { asked, check: run } = setUp(kind, answers);
  return { result: await run(), asked };
}

test('an endpoint is asked for its health and its load', async () => {
  const { result } = await check('vllm', { '/health': '', '/metrics': 'vllm:num_requests_running 2\n' });
  expect(result).toEqual({ isHealthy: true, load: { running: 2, waiting: 0 } });
});

test('an endpoint whose kind is not given is asked first what it is', async () => {
  const { result } = await check('auto', { '/health': '', '/metrics': 'vllm:num_requests_running 1\n' });
  expect(result).toEqual({ isHealthy: true, load: { running: 1, waiting: 0 } });
});

test('kinds without metrics are not asked for them', async () => {
  const { result, asked } = await check('openai', { '/v1/models': '{}' });
  expect(result).toEqual({ isHealthy: true });
  expect(asked).toEqual(['/v1/models']);
});

test.each([500, 502, 503])('status %i means that an endpoint is not healthy', async (status) => {
  expect((await check('llama-server', { '/health': status })).result).toEqual({ isHealthy: false });
});

test.each([401, 403, 404])('status %i says nothing about the health of an endpoint', async (status) => {
  expect((await check('sglang', { '/health': status })).result).toEqual({});
});

test('an endpoint that cannot be reached is not healthy', async () => {
  const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  expect((await check('ollama', { '/api/version': fromNetwork('r', refused) })).result).toEqual({ isHealthy: false });
});

test('metrics that are too long are read up to the limit', async () => {
  const metrics = `vllm:num_requests_running 3\n${'#'.repeat(maxMetricsBytes)}\nvllm:num_requests_waiting 9\n`;
  const { result } = await check('vllm', { '/health': '', '/metrics': metrics });
  expect(result.load).toEqual({ running: 3, waiting: 0 });
});

test('metrics that are refused are not asked for with every check', async () => {
  const { check: run, asked } = setUp('ollama', { '/api/version': '{}', '/metrics': 403 });
  for (let turn = 0; turn <= metricsPause; turn++) expect(await run()).toEqual({ isHealthy: true });
  expect(asked.filter((path) => path === '/metrics')).toHaveLength(1);
  await run();
  expect(asked.filter((path) => path === '/metrics')).toHaveLength(2);
});
