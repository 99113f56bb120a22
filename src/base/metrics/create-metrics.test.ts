import { expect, test } from 'vitest';
import type { CallerKey } from '../request/caller-key.ts';
import { runInRequest } from '../request/request-scope.ts';
import { createMetrics, type Snapshot } from './create-metrics.ts';

const emptySnapshot: Snapshot = { models: [], queues: [], prefixFiles: { files: 0, bytes: 0 } };
const noDrafts = { draftedTokens: 0, acceptedTokens: 0, modelDraftedTokens: 0, modelAcceptedTokens: 0 };

test('gauges take a fresh snapshot on every read', async () => {
  let snapshot = emptySnapshot;
  const metrics = createMetrics(() => snapshot);
  expect(await metrics.read()).toContain('hearth_models{state="busy"} 0');
  snapshot = {
    models: [{ name: 'a', state: 'busy', mainBytes: 5, deviceBytes: 7, leases: 2, context: { used: 1, total: 4 } }],
    queues: [{ name: 'a', waiting: 3, leased: 1 }],
    prefixFiles: { files: 2, bytes: 1000 },
  };
  const text = await metrics.read();
  expect(text).toContain('hearth_models{state="busy"} 1');
  expect(text).toContain('hearth_model_memory_bytes{model="a",where="device"} 7');
  expect(text).toContain('hearth_queue_depth{model="a"} 3');
  expect(text).toContain('hearth_leases{model="a"} 2');
  expect(text).toContain('hearth_prefix_cache_disk_files 2');
  expect(text).toContain('hearth_prefix_cache_disk_bytes 1000');
  for (const line of ['hearth_requests_running 1', 'hearth_requests_waiting 3', 'hearth_kv_cache_usage_ratio 0.25'])
    expect(text.split('\n')).toContain(line);
  snapshot = emptySnapshot;
  expect(await metrics.read()).not.toContain('hearth_queue_depth{model="a"}');
});

test('inter-token time is averaged over the gaps; an answer of one token has none', async () => {
  const metrics = createMetrics(() => emptySnapshot);
  const answer = { ...noDrafts, model: 'a', promptTokens: 4, cachedTokens: 1, diskTokens: 1, generateSeconds: 1 };
  metrics.answered({ ...answer, generatedTokens: 11, firstTextSeconds: 0.5 });
  metrics.answered({ ...answer, generatedTokens: 1 });
  const text = await metrics.read();
  expect(text).toContain('hearth_inter_token_seconds_sum{model="a"} 0.1');
  expect(text).toContain('hearth_inter_token_seconds_count{model="a"} 1');
  expect(text).toContain('hearth_time_to_first_token_seconds_count{model="a"} 1');
  expect(text).toContain('hearth_prefix_cache_tokens_total{model="a",result="miss"} 6');
  expect(text).toContain('hearth_prefix_cache_disk_tokens_total{model="a"} 2');
});

test('drafted and accepted tokens are counted by source', async () => {
  const metrics = createMetrics(() => emptySnapshot);
  const answer = {
    model: 'a',
    promptTokens: 4,
    cachedTokens: 0,
    diskTokens: 0,
    generatedTokens: 9,
    generateSeconds: 1,
  };
  metrics.answered({ ...answer, draftedTokens: 7, acceptedTokens: 5, modelDraftedTokens: 3, modelAcceptedTokens: 1 });
  metrics.answered({ ...answer, ...noDrafts });
  const text = await metrics.read();
  expect(text).toContain('hearth_draft_tokens_total{model="a",source="ngram"} 4');
  expect(text).toContain('hearth_draft_tokens_total{model="a",source="model"} 3');
  expect(text).toContain('hearth_draft_tokens_accepted_total{model="a",source="ngram"} 4');
  expect(text).toContain('hearth_draft_tokens_accepted_total{model="a",source="model"} 1');
});

test('a successful load after a crash counts as a restart', async () => {
  const metrics = createMetrics(() => emptySnapshot);
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

test('the number of series per metric is bounded', async () => {
  const metrics = createMetrics(() => emptySnapshot);
  for (let index = 0; index < 1000; index++) {
    metrics.requestEnded({ endpoint: '/', model: `m${index}`, outcome: 'ok', seconds: 0 });
  }
  const series = (await metrics.read()).split('\n').filter((line) => line.startsWith('hearth_requests_total{'));
  expect(series).toHaveLength(201);
  expect(series.at(-1)).toContain('model="other"');
});

test('requests and tokens have the name of their key, and the number of names is bounded', async () => {
  const metrics = createMetrics(() => emptySnapshot);
  const { signal } = new AbortController();
  const answer = { ...noDrafts, model: 'a', cachedTokens: 0, diskTokens: 0, generateSeconds: 1 };
  for (let index = 0; index < 102; index++) {
    const key: CallerKey = { id: '1', name: `k${index}`, scope: 'infer', group: '1', models: [], weight: 1 };
    runInRequest({ id: 'r', client: 'c', signal, key }, () => {
      metrics.requestEnded({ endpoint: '/', model: 'a', outcome: 'ok', seconds: 0 });
      metrics.answered({ ...answer, promptTokens: 4, generatedTokens: 2 });
    });
  }
  const text = await metrics.read();
  expect(text).toContain('hearth_requests_total{endpoint="/",model="a",outcome="ok",key="k0"} 1');
  expect(text).toContain('hearth_requests_total{endpoint="/",model="a",outcome="ok",key="other"} 2');
  expect(text).toContain('hearth_prompt_tokens_total{model="a",key="k99"} 4');
  expect(text).toContain('hearth_generated_tokens_total{model="a",key="other"} 4');
});

test('model names are escaped in labels', async () => {
  const metrics = createMetrics(() => emptySnapshot);
  metrics.waited('a"} 1\nforged 1', 0);
  expect((await metrics.read()).split('\n').some((line) => line.startsWith('forged'))).toBe(false);
});
