import { expect, test } from 'vitest';
import { silentLogger } from '../../base/logger.ts';
import type { RemoteKind } from './endpoint.ts';
import type { RemoteRequest } from './http/remote-http.ts';
import type { EndpointFacts } from './probe/endpoint-facts.ts';
import { checkEndpoint } from './remotes/remote-record.ts';
import { createSleepControl } from './sleep-control.ts';

const endpoint = { ...checkEndpoint({ url: 'http://a' }), remote: 'gpu' };
const never = new AbortController().signal;
const factsOf = (kind: RemoteKind, ...features: 'sleep'[]): EndpointFacts => ({
  kind,
  models: [],
  features: new Set(features),
  version: '',
});

function setUp(isSleeping = false) {
  const answer = { is_sleeping: isSleeping };
  const sent: string[] = [];
  const note = ({ method, path }: RemoteRequest): void => void sent.push(`${method} ${path}`);
  const control = createSleepControl(
    {
      async send(_, request) {
        note(request);
        return { contentType: '', sentBytes: 0, chunks: (async function* () {})(), collect() {}, complete() {} };
      },
      async call(_, request) {
        note(request);
        return answer;
      },
    },
    silentLogger,
  );
  return { control, sent, answer };
}

test('vLLM sleeps, and several requests wake it once', async () => {
  const { control, sent } = setUp();
  const facts = factsOf('vllm', 'sleep');
  await control.sleep(endpoint, facts);
  await Promise.all([control.wake(endpoint, facts, never), control.wake(endpoint, facts, never)]);
  await control.wake(endpoint, facts, never);
  expect(sent.filter((line) => line.startsWith('POST'))).toEqual(['POST /sleep?level=1', 'POST /wake_up']);
});

test('vLLM that sleeps already is woken', async () => {
  const { control, sent } = setUp(true);
  await control.wake(endpoint, factsOf('vllm', 'sleep'), never);
  expect(sent).toEqual(['GET /is_sleeping', 'POST /wake_up']);
});

test('vLLM that another program puts to sleep later is woken after a request has failed', async () => {
  const { control, sent, answer } = setUp();
  const facts = factsOf('vllm', 'sleep');
  await control.wake(endpoint, facts, never);
  answer.is_sleeping = true;
  await control.wake(endpoint, facts, never);
  control.forget(endpoint);
  await control.wake(endpoint, facts, never);
  expect(sent).toEqual(['GET /is_sleeping', 'GET /is_sleeping', 'POST /wake_up']);
});

test('SGLang gives its memory back and takes it again', async () => {
  const { control, sent } = setUp();
  const facts = factsOf('sglang', 'sleep');
  await control.sleep(endpoint, facts);
  await control.wake(endpoint, facts, never);
  expect(sent).toEqual(['POST /release_memory_occupation', 'POST /resume_memory_occupation']);
});

test('nothing is sent to an endpoint that does not offer it', async () => {
  const { control, sent } = setUp();
  for (const facts of [factsOf('vllm'), factsOf('ollama', 'sleep')]) {
    await control.sleep(endpoint, facts);
    await control.wake(endpoint, facts, never);
  }
  expect(sent).toEqual([]);
});
