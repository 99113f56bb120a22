import { expect, test } from 'vitest';
import { createMetrics, type Snapshot } from './create-metrics.ts';

const nothing: Snapshot = { models: [], queues: [] };

test('what is true now is asked for when somebody reads', async () => {
  let snapshot = nothing;
  const metrics = createMetrics(() => snapshot);
  expect(await metrics.read()).toContain('hearth_models{state="busy"} 0');
  snapshot = {
    models: [{ name: 'a', state: 'busy', mainBytes: 5, deviceBytes: 7, leases: 2 }],
    queues: [{ name: 'a', waiting: 3 }],
  };
  const text = await metrics.read();
  expect(text).toContain('hearth_models{state="busy"} 1');
  expect(text).toContain('hearth_model_memory_bytes{model="a",where="device"} 7');
  expect(text).toContain('hearth_queue_depth{model="a"} 3');
  expect(text).toContain('hearth_leases{model="a"} 2');
  snapshot = nothing;
  expect(await metrics.read()).not.toContain('hearth_queue_depth{model="a"}');
});

test('the time between tokens is that of the gaps; an answer of one token has none', async () => {
  const metrics = createMetrics(() => nothing);
  const answer = { model: 'a', promptTokens: 4, cachedTokens: 1, generateSeconds: 1 };
  metrics.answered({ ...answer, generatedTokens: 11, firstTextSeconds: 0.5 });
  metrics.answered({ ...answer, generatedTokens: 1 });
  const text = await metrics.read();
  expect(text).toContain('hearth_inter_token_seconds_sum{model="a"} 0.1');
  expect(text).toContain('hearth_inter_token_seconds_count{model="a"} 1');
  expect(text).toContain('hearth_time_to_first_token_seconds_count{model="a"} 1');
  expect(text).toContain('hearth_prefix_cache_tokens_total{model="a",result="miss"} 6');
});

test('a restart is a load after a crash', async () => {
  const metrics = createMetrics(() => nothing);
  const load = (outcome: 'ok' | 'failed') => metrics.loadEnded({ model: 'a', seconds: 1, outcome });
  load('ok');
  metrics.runnerEnded({ model: 'a', crashed: false });
  load('ok');
  metrics.runnerEnded({ model: 'a', crashed: true });
  load('failed');
  load('ok');
  const text = await metrics.read();
  expect(text).toContain('hearth_runner_crashes_total{model="a"} 1');
  expect(text).toContain('hearth_runner_restarts_total{model="a"} 1');
  expect(text).toContain('hearth_model_loads_total{model="a",outcome="failed"} 1');
});

test('no end of names becomes no end of series', async () => {
  const metrics = createMetrics(() => nothing);
  for (let index = 0; index < 1000; index++) {
    metrics.requestEnded({ endpoint: '/', model: `m${index}`, outcome: 'ok', seconds: 0 });
  }
  const series = (await metrics.read()).split('\n').filter((line) => line.startsWith('hearth_requests_total{'));
  expect(series).toHaveLength(201);
  expect(series.at(-1)).toContain('model="other"');
});

test('hostile names stay inside their quotes', async () => {
  const metrics = createMetrics(() => nothing);
  metrics.waited('a"} 1\nforged 1', 0);
  expect((await metrics.read()).split('\n').some((line) => line.startsWith('forged'))).toBe(false);
});
