// The load of an endpoint in the metrics that it offers, in the Prometheus format:
//
//   vllm:num_requests_running{engine="0",model_name="m"} 3.0 [timestamp]
//
// The text comes from another server. It is scanned once, and what cannot be read is left out.

import type { RemoteKind } from '../endpoint.ts';
import { fullCache, longQueue } from './limits.ts';

export interface ReportedLoad {
  readonly running: number;
  readonly waiting: number;
  /** The part of the KV cache that is in use, from 0 to 1. Absent: not reported. */
  readonly cacheUsage?: number;
}

interface LoadMetrics {
  readonly running: string;
  readonly waiting: string;
  readonly cacheUsage?: string;
}

/** A real Ollama has no metrics. Hearth has, and speaks its API. */
const metricsOf: Readonly<Record<RemoteKind, LoadMetrics | undefined>> = {
  vllm: {
    running: 'vllm:num_requests_running',
    waiting: 'vllm:num_requests_waiting',
    cacheUsage: 'vllm:kv_cache_usage_perc',
  },
  sglang: { running: 'sglang:num_running_reqs', waiting: 'sglang:num_queue_reqs', cacheUsage: 'sglang:token_usage' },
  'llama-server': { running: 'llamacpp:requests_processing', waiting: 'llamacpp:requests_deferred' },
  ollama: { running: 'hearth_leases', waiting: 'hearth_queue_depth', cacheUsage: 'hearth_kv_cache_usage_ratio' },
  openai: undefined,
};

export function offersLoad(kind: RemoteKind): boolean {
  return metricsOf[kind] !== undefined;
}

/** Undefined if the text has no metric that tells it. */
export function readLoad(kind: RemoteKind, text: string): ReportedLoad | undefined {
  const names = metricsOf[kind];
  if (names === undefined) return undefined;
  // A server can have several engines, each with its own series.
  const sums = new Map<string, number>();
  const largest = new Map<string, number>();
  const wanted = new Set(Object.values(names));
  for (const { name, value } of samplesIn(text)) {
    if (!wanted.has(name)) continue;
    sums.set(name, (sums.get(name) ?? 0) + value);
    largest.set(name, Math.max(largest.get(name) ?? 0, value));
  }
  if (!sums.has(names.running) && !sums.has(names.waiting)) return undefined;
  const cacheUsage = largest.get(names.cacheUsage ?? '');
  return {
    running: sums.get(names.running) ?? 0,
    waiting: sums.get(names.waiting) ?? 0,
    cacheUsage,
  };
}

/** A further request would wait for long, or make others wait. One that waits for the next step is no queue. */
export function isFull({ running, waiting, cacheUsage = 0 }: ReportedLoad): boolean {
  return waiting > Math.max(1, running * longQueue) || cacheUsage > fullCache;
}

function* samplesIn(text: string): Iterable<{ readonly name: string; readonly value: number }> {
  for (const line of text.split('\n')) {
    const brace = line.indexOf('{');
    const space = line.indexOf(' ');
    const hasLabels = brace >= 0 && (space < 0 || brace < space);
    // Label values may contain braces and spaces; the value follows the last brace.
    const nameEnd = hasLabels ? brace : space;
    const labelsEnd = hasLabels ? line.lastIndexOf('}') + 1 : space;
    if (nameEnd <= 0 || labelsEnd <= 0) continue;
    const value = Number.parseFloat(line.slice(labelsEnd));
    if (Number.isFinite(value) && value >= 0) yield { name: line.slice(0, nameEnd), value };
  }
}
