// Metrics of the server's own process: memory, processor time, garbage collection and the event loop.

import { performance } from 'node:perf_hooks';
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';

// The histogram behind these metrics wakes the process a hundred times a second, even if it is idle, and takes a processor
// from a model that uses all of them. prom-client always starts its timer, so the interval is as long as possible.
const sampledMetrics = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'].map(
  (name) => `nodejs_eventloop_lag_${name}_seconds`,
);
const longestInterval = 2 ** 31 - 1;

export function addProcessMetrics(register: Registry): void {
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: longestInterval });
  for (const name of sampledMetrics) register.removeSingleMetric(name);
  let last = performance.eventLoopUtilization();
  new Gauge({
    name: 'nodejs_eventloop_utilization',
    help: 'The share of the time since the last reading in which the event loop was busy, 0 to 1.',
    registers: [register],
    collect() {
      const now = performance.eventLoopUtilization();
      this.set(performance.eventLoopUtilization(now, last).utilization);
      last = now;
    },
  });
}
