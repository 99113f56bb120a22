// Measures what traces cost a server: the processor time of a request with an export, without one, and in a build without the
// code of traces, which is in BENCH_TELEMETRY_ROOT. The endpoint answers at once, so that nothing but the server counts.

import { join } from 'node:path';
import { addRemoteModel } from '../test/support/fronts.ts';
import { fakeModel, startFakeEndpoint } from '../test/support/remote/fake-endpoint.ts';
import { startServer, type TestServer } from '../test/support/server.ts';
import { startTraceReceiver } from '../test/support/trace-receiver.ts';
import { processorTimeOf } from './processor-time.ts';
import { median, report, rounds, settle } from './report.ts';

const clients = 8;
const requests = 800;
/** V8 compiles the code of a server that has just started. */
const warmingRounds = 4;
const withoutTelemetry = process.env['BENCH_TELEMETRY_ROOT'];

export async function measureTelemetry(): Promise<void> {
  const [endpoint, receiver] = await Promise.all([startFakeEndpoint('answers'), startTraceReceiver()]);
  const entry = withoutTelemetry && join(withoutTelemetry, 'dist/main.js');
  const servers = new Map<string, TestServer>();
  servers.set('off', await startServer());
  servers.set('off, another server', await startServer());
  servers.set('on', await startServer({ environment: { HEARTH_TELEMETRY: receiver.url } }));
  servers.set(
    'on, one in ten',
    await startServer({ environment: { HEARTH_TELEMETRY: receiver.url, HEARTH_TELEMETRY_SHARE: '0.1' } }),
  );
  if (entry) servers.set('not in the build', await startServer({ entry }));
  try {
    for (const server of servers.values()) {
      await addRemoteModel(server, { url: endpoint.url, model: fakeModel, key: '' });
      for (let round = 0; round < warmingRounds; round++) await run(server);
    }
    const times = new Map([...servers.keys()].map((name): [string, number[]] => [name, []]));
    for (let round = 0; round < rounds; round++)
      // Each begins a round in turn, so that what a run leaves behind is shared.
      for (const [name, server] of rotated([...servers], round)) {
        await settle();
        times.get(name)?.push(await run(server));
      }
    const off = times.get('off') as number[];
    for (const [name, values] of times) {
      const ratio = median(values.map((value, round) => value / (off[round] as number)));
      const value = `${(median(values) * 1000).toFixed(0)} µs per request, ${ratio.toFixed(3)} of that without an export`;
      report({ what: `processor time of the server, traces ${name}`, value });
    }
    if (receiver.spans.length === 0) throw new Error('the collector got no spans');
  } finally {
    for (const server of servers.values()) await server.stop();
    await endpoint.close();
    receiver.close();
  }
}

function rotated<Item>(items: readonly Item[], by: number): readonly Item[] {
  const start = by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}

/** Milliseconds of processor time per request. */
async function run({ url, pid }: TestServer): Promise<number> {
  const body = JSON.stringify({ model: fakeModel, messages: [{ role: 'user', content: 'Hi' }], stream: false });
  const before = processorTimeOf(pid);
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (let request = 0; request < requests / clients; request++) {
        const response = await fetch(`${url}/api/chat`, { method: 'POST', body });
        const text = await response.text();
        if (!response.ok) throw new Error(`${response.status} ${text}`);
      }
    }),
  );
  return (processorTimeOf(pid) - before) / requests;
}
