import { expect, test } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import { brokenAnswer } from '../http/remote-error.ts';
import { checkEndpoint } from '../remotes/remote-record.ts';
import { createProber } from './prober.ts';

const never = new AbortController().signal;

function setUp(answers: Readonly<Record<string, unknown>>, kind = 'auto') {
  const clock = createFakeClock();
  const asked: string[] = [];
  const prober = createProber(
    {
      async call(_, { path }) {
        asked.push(path);
        if (!(path in answers)) throw brokenAnswer('gpu', 'has no such path');
        return answers[path];
      },
    },
    clock,
  );
  return { clock, asked, prober, endpoint: { ...checkEndpoint({ url: 'http://a', kind }), remote: 'gpu' } };
}

const models = { '/v1/models': { data: [{ id: 'llama', owned_by: 'vllm' }] } };

test('the models are asked together with what tells the kind, and kept for a minute', async () => {
  const { prober, endpoint, asked, clock } = setUp(models);
  const facts = await prober.facts(endpoint, never);
  expect(facts).toMatchObject({ kind: 'vllm', models: [{ id: 'llama' }] });
  expect(await prober.facts(endpoint, never)).toBe(facts);
  expect(asked.sort()).toEqual(['/api/version', '/openapi.json', '/v1/models']);
  clock.advance(60_001);
  await prober.facts(endpoint, never);
  expect(asked).toHaveLength(6);
  prober.forget(endpoint);
  await prober.facts(endpoint, never);
  expect(asked).toHaveLength(9);
});

test('an endpoint that does not list its models has failed, and is asked again', async () => {
  const { prober, endpoint, asked } = setUp({}, 'vllm');
  await expect(prober.facts(endpoint, never)).rejects.toThrow('has no such path');
  await expect(prober.facts(endpoint, never)).rejects.toThrow('has no such path');
  expect(asked.filter((path) => path === '/v1/models')).toHaveLength(2);
});

test('a caller that leaves does not wait, and does not take the answer from others', async () => {
  const { prober, endpoint } = setUp(models);
  const controller = new AbortController();
  const left = prober.facts(endpoint, controller.signal);
  const other = prober.facts(endpoint, never);
  controller.abort();
  await expect(left).rejects.toMatchObject({ code: 'cancelled' });
  expect((await other).kind).toBe('vllm');
});
