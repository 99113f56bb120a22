// The response header endpoint-load-metrics (ORCA), as vLLM writes it: for completions without a stream, in the format
// that the request names.

import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';

/** What the report has of the load of the server. */
export interface LoadFigures {
  readonly waiting: number;
  /** From 0 to 1. */
  readonly cacheUsage: number;
}

const formatHeader = 'endpoint-load-metrics-format';
const reportHeader = 'endpoint-load-metrics';

export function addLoadReport(headers: IncomingHttpHeaders, reply: FastifyReply, readLoad: () => LoadFigures): void {
  const report = writeReport(String(headers[formatHeader] ?? ''), readLoad);
  if (report !== undefined) void reply.header(reportHeader, report);
}

/** Undefined for other formats. */
function writeReport(format: string, readLoad: () => LoadFigures): string | undefined {
  const name = format.toUpperCase();
  if (name !== 'TEXT' && name !== 'JSON') return undefined;
  const { waiting, cacheUsage } = readLoad();
  const metrics = Object.entries({ num_requests_waiting: waiting, kv_cache_usage_perc: cacheUsage });
  const joined = (write: (metric: string, value: string) => string): string =>
    metrics.map(([metric, value]) => write(metric, toFloat(value))).join(', ');
  return name === 'TEXT'
    ? `TEXT ${joined((metric, value) => `named_metrics.${metric}=${value}`)}`
    : `JSON {"named_metrics": {${joined((metric, value) => `"${metric}": ${value}`)}}}`;
}

/** Python writes a float with a point. */
function toFloat(value: number): string {
  return Number.isInteger(value) ? `${value}.0` : String(value);
}
