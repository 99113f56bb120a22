import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { addProcessMetrics } from './process-metrics.ts';

test('the event loop is measured without sampling it', async () => {
  const registry = new Registry();
  addProcessMetrics(registry);
  const text = await registry.metrics();
  expect(text).toMatch(/^nodejs_eventloop_utilization [01](\.\d+)?(e-\d+)?$/m);
  expect(text).toMatch(/^nodejs_eventloop_lag_seconds /m);
  expect(text).toMatch(/^process_resident_memory_bytes [1-9]/m);
  expect(text).not.toContain('nodejs_eventloop_lag_p99_seconds');
  expect(text).not.toContain('nodejs_eventloop_lag_max_seconds');
});
