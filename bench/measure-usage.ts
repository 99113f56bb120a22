// Measures what keys and the usage log cost: tokens per second of eight parallel streams with both, and without.

import type { NewKeyResponseBody } from '../src/features/keys/keys-schema.ts';
import { startServer, type TestServer } from '../test/support/server.ts';
import { addModel } from './add-model.ts';
import { prompt } from './bare-loop.ts';
import { median, report, rounds, settle } from './report.ts';
import { throughput, timeStream } from './server-load.ts';

const model = 'ember';
const streams = 8;
const tokens = 256;
const goal = 0.99;

export async function measureUsage(path: string): Promise<void> {
  const environment = { HEARTH_NUM_PARALLEL: String(streams), HEARTH_CONTEXT_LENGTH: '2048' };
  const plain = await startServer({ environment: { ...environment, HEARTH_USAGE_SIZE: '0' } });
  const metered = await startServer({ environment });
  try {
    for (const server of [plain, metered]) await addModel(server, { name: model, path, template: '{{ .Prompt }}' });
    const key = await createKey(metered);
    await run(plain);
    await run(metered, key);
    const pairs: { readonly plain: number; readonly metered: number }[] = [];
    for (let round = 0; round < rounds; round++) {
      await settle();
      const limit = await run(plain);
      await settle();
      pairs.push({ plain: limit, metered: await run(metered, key) });
    }
    const ratio = median(pairs.map((pair) => pair.metered / pair.plain));
    const speeds = `${median(pairs.map((pair) => pair.metered)).toFixed(1)} and ${median(pairs.map((pair) => pair.plain)).toFixed(1)} tokens/s`;
    report({
      what: `${model}, eight parallel streams with keys and usage`,
      value: `${ratio.toFixed(3)} of the speed without (${speeds})`,
      goal: `≥ ${goal}`,
      met: ratio >= goal,
    });
  } finally {
    await plain.stop();
    await metered.stop();
  }
}

async function createKey({ url }: TestServer): Promise<string> {
  const body = JSON.stringify({ name: 'bench', scope: 'admin' });
  const response = await fetch(`${url}/api/keys`, { method: 'POST', body });
  if (!response.ok) throw new Error(`no key: ${response.status} ${await response.text()}`);
  return ((await response.json()) as NewKeyResponseBody).key;
}

async function run({ url }: TestServer, key?: string): Promise<number> {
  const request = { url, model, prompt, tokens, ...(key === undefined ? {} : { key }) };
  return throughput(await Promise.all(Array.from({ length: streams }, (_, seed) => timeStream({ ...request, seed }))));
}
