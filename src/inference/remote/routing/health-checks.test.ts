import { expect, test } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import type { Endpoint } from '../endpoint.ts';
import type { CheckResult } from './endpoint-state.ts';
import { type CheckEndpoint, createHealthChecks } from './health-checks.ts';
import { checkInterval, checkTimeout, idleTime } from './limits.ts';

const endpoint: Endpoint = {
  id: 'a',
  url: 'http://a.example',
  kind: 'openai',
  servedModel: 'm',
  keyRef: '',
  caFile: '',
};

function setUp(check: CheckEndpoint) {
  const clock = createFakeClock();
  const results: CheckResult[] = [];
  const checks = createHealthChecks({
    clock,
    random: () => 0.5,
    check,
    onResult: (_id, result) => results.push(result),
  });
  checks.add(endpoint);
  const pass = async (milliseconds: number): Promise<void> => {
    clock.advance(milliseconds);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { checks, results, pass };
}

test('a check that does not end is aborted, and counts as unhealthy', async () => {
  let aborted = false;
  const { checks, results, pass } = setUp((_endpoint, signal) => {
    signal.addEventListener('abort', () => {
      aborted = true;
    });
    return new Promise(() => {});
  });
  checks.noteRequest();
  await pass(0);
  await pass(checkTimeout - 1);
  expect(results).toEqual([]);
  await pass(1);
  expect(aborted).toBe(true);
  expect(results).toEqual([{ isHealthy: false }]);
});

test('a check that rejects counts as unhealthy', async () => {
  const { checks, results, pass } = setUp(() => Promise.reject(new Error('refused')));
  checks.noteRequest();
  await pass(0);
  expect(results).toEqual([{ isHealthy: false }]);
});

test('many requests do not cause more checks', async () => {
  const { checks, results, pass } = setUp(async () => ({ isHealthy: true }));
  for (let turn = 0; turn < 100; turn++) {
    checks.noteRequest();
    await pass(checkInterval / 100);
  }
  expect(results).toHaveLength(1);
});

test('checks end some time after the last request, and start again with the next one', async () => {
  const { checks, results, pass } = setUp(async () => ({ isHealthy: true }));
  checks.noteRequest();
  for (let time = 0; time <= 2 * idleTime; time += checkInterval) await pass(checkInterval);
  const before = results.length;
  await pass(checkInterval);
  expect(results).toHaveLength(before);
  checks.noteRequest();
  await pass(0);
  expect(results).toHaveLength(before + 1);
});

test('the check of an endpoint that is removed is aborted, and has no result', async () => {
  let aborted = false;
  const { checks, results, pass } = setUp((_endpoint, signal) => {
    signal.addEventListener('abort', () => {
      aborted = true;
    });
    return new Promise(() => {});
  });
  checks.noteRequest();
  await pass(0);
  checks.remove('a');
  await pass(0);
  expect(aborted).toBe(true);
  expect(results).toEqual([]);
});
