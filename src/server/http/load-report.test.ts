import type { FastifyReply } from 'fastify';
import { expect, test } from 'vitest';
import { addLoadReport } from './load-report.ts';

function report(format: string | undefined, load = { waiting: 3, cacheUsage: 0.25 }): Record<string, unknown> {
  const sent: Record<string, unknown> = {};
  const reply = { header: (name: string, value: unknown) => Object.assign(sent, { [name]: value }) };
  addLoadReport({ 'endpoint-load-metrics-format': format }, reply as unknown as FastifyReply, () => load);
  return sent;
}

// The texts in the form of vLLM of these figures.
test('the report has the form of vLLM', () => {
  expect(report('TEXT')).toEqual({
    'endpoint-load-metrics': 'TEXT named_metrics.num_requests_waiting=3.0, named_metrics.kv_cache_usage_perc=0.25',
  });
  expect(report('json', { waiting: 0, cacheUsage: 1 })).toEqual({
    'endpoint-load-metrics': 'JSON {"named_metrics": {"num_requests_waiting": 0.0, "kv_cache_usage_perc": 1.0}}',
  });
});

test.each([undefined, '', 'BIN', 'TEXT, TEXT'])('%j gets no report', (format) => {
  expect(report(format)).toEqual({});
});
