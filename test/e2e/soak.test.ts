// Dozens of clients with more models than fit into memory, random cancellations and killed runners: every request ends,
// and no process or request remains.

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PsResponseBody } from '../../src/server/dialects/ollama/status/ps-schema.ts';
import { generate, post } from '../support/client.ts';
import { addModel } from '../support/models/endless-ember.ts';
import { openFiles, pause, residentBytes } from '../support/processes.ts';
import { repository } from '../support/repository.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { sequence, soak, type Tally } from '../support/soak.ts';
import { thoroughly } from '../support/thorough.ts';

const models = ['ember', 'ember-2', 'ember-3', 'ember-4'];
const mebibyte = 2 ** 20;

let server: TestServer;
let size: number;
beforeAll(async () => {
  size = await sizeOfEmber();
  server = await startServer({
    environment: {
      HEARTH_MEMORY_BUDGET: String(Math.round(4 * size)),
      HEARTH_NUM_PARALLEL: '4',
      HEARTH_MAX_QUEUE: '24',
      HEARTH_CONTEXT_LENGTH: '256',
    },
  });
  const weights = readFileSync(repository('models/ember-q4_k_m.gguf'));
  for (const [index, name] of models.slice(1).entries()) {
    // Changing the last byte makes a different model of the same size.
    const changed = Buffer.from(weights);
    changed[changed.length - 1] = index;
    await addModel(server.store, name, changed);
  }
});
afterAll(() => server.stop());

async function sizeOfEmber(): Promise<number> {
  const alone = await startServer({ environment: { HEARTH_NUM_PARALLEL: '4', HEARTH_CONTEXT_LENGTH: '256' } });
  try {
    await post(alone.url, '/api/embed', { model: 'ember', input: 'Hi' });
    await generate(alone.url, { prompt: 'Hi', options: { num_predict: 1 } });
    const { models: loaded } = (await (await fetch(`${alone.url}/api/ps`)).json()) as PsResponseBody;
    return loaded[0]?.size ?? 0;
  } finally {
    await alone.stop();
  }
}

async function killRunners(every: number, stop: AbortSignal): Promise<number> {
  const random = sequence(7);
  let killed = 0;
  while (!stop.aborted) {
    await pause(every);
    const runners = server.runners();
    const victim = runners[Math.floor(random() * runners.length)];
    if (victim === undefined || stop.aborted) continue;
    process.kill(victim, 'SIGKILL');
    killed++;
  }
  return killed;
}

async function run(milliseconds: number, seed: number): Promise<{ tally: Tally; killed: number }> {
  const over = new AbortController();
  const killing = killRunners(2000, over.signal);
  const tally = await soak({ url: server.url, models, clients: 36, milliseconds, random: sequence(seed) });
  over.abort();
  return { tally, killed: await killing };
}

/** Repeated, because the load of a canceled request continues and can finish after the first attempt. */
async function unloadAll(): Promise<void> {
  for (let attempt = 0; server.runners().length > 0; attempt++) {
    if (attempt > 300) throw new Error(`runners are left: ${await (await fetch(`${server.url}/api/ps`)).text()}`);
    for (const model of models) await post(server.url, '/api/generate', { model, keep_alive: 0 });
    await pause(100);
  }
}

const documented = [
  /^503 server busy, please try again\. {2}maximum pending requests exceeded$/,
  /^(200|500) .*llama runner process has terminated/,
];

test('every request ends with an answer, a documented error or its cancellation, and no resources remain', async () => {
  await run(4000, 1);
  await unloadAll();
  const before = { files: openFiles(server.pid), bytes: residentBytes(server.pid) };
  const { tally, killed } = await run(thoroughly(18_000, 7_000), 2);
  await unloadAll();
  // Connections of clients that left are closed a little later.
  await expect.poll(() => openFiles(server.pid)).toBeLessThanOrEqual(before.files + 3);
  const after = residentBytes(server.pid);

  const shown = [...tally].map(([outcome, count]) => `${count} × ${outcome.slice(0, 70)}`);
  const memory = `${(before.bytes / mebibyte).toFixed(0)} MiB before, ${(after / mebibyte).toFixed(0)} MiB after`;
  console.log(`soak: ${killed} runners killed; ${shown.join('; ')}; the server has ${memory}`);

  const others = [...tally.keys()].filter((outcome) => !['answered', 'cancelled', 'left'].includes(outcome));
  for (const outcome of others)
    expect(
      documented.some((pattern) => pattern.test(outcome)),
      outcome,
    ).toBe(true);
  expect(tally.get('answered') ?? 0).toBeGreaterThan(0);
  expect(tally.get('left') ?? 0).toBeGreaterThan(0);
  expect(killed).toBeGreaterThan(3);
  expect(await (await fetch(`${server.url}/api/queue`)).json()).toEqual({ queues: [] });
  expect(await (await fetch(`${server.url}/api/ps`)).json()).toEqual({ models: [] });
  expect(after).toBeLessThan(before.bytes + 48 * mebibyte);
  expect((await generate(server.url, { prompt: 'Hi', options: { num_predict: 1 } })).done).toBe(true);
}, 180_000);
