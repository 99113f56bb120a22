// A runner that dies costs its own requests and nothing else; a file that is no model is an error and no crash.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { QueueResponse } from '../../src/api/ps.ts';
import { digestOf } from '../../src/kernel/digest.ts';
import { mediaTypes } from '../../src/store/manifest.ts';
import { ask, beginAnswer, generate, post } from '../support/client.ts';
import { addModel, endlessEmber } from '../support/endless-ember.ts';
import { isAlive } from '../support/processes.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let url: string;
beforeAll(async () => {
  server = await startServer();
  url = server.url;
  await addModel(server.store, 'endless', endlessEmber());
});
afterAll(() => server.stop());

const endless = {
  model: 'endless',
  prompt: 'Once',
  raw: true,
  options: { temperature: 1, seed: 1, num_predict: 4000 },
};

const ember = readFileSync(new URL('../../models/ember-q8_0.gguf', import.meta.url));

/** So many requests hold the model, and nobody waits. */
async function untilTakenUp(count: number): Promise<void> {
  const metrics = async (): Promise<string> => (await fetch(`${url}/metrics`)).text();
  await expect.poll(metrics).toContain(`hearth_leases{model="endless:latest"} ${count}\n`);
  const queue = async (): Promise<unknown> => (await fetch(`${url}/api/queue`)).json();
  await expect.poll(queue).toEqual({ queues: [] });
}

describe('a runner that is killed', () => {
  test('costs those nothing that it had not taken up: the next runner answers them', async () => {
    const own = await startServer({ environment: { HEARTH_NUM_PARALLEL: '1' } });
    try {
      const rest = await beginAnswer(own.url, { prompt: 'Tell me a long story.', options: { num_predict: 4000 } });
      const waiting = [
        generate(own.url, { prompt: 'Hi', options: { num_predict: 2 } }),
        generate(own.url, { prompt: 'Hello', options: { num_predict: 2 } }),
      ];
      const queue = async () => ((await (await fetch(`${own.url}/api/queue`)).json()) as QueueResponse).queues;
      await expect.poll(async () => (await queue())[0]?.waiting.length).toBe(2);
      process.kill(own.runners()[0] as number, 'SIGKILL');
      expect((await rest()).at(-1)).toEqual({ error: expect.stringContaining('has terminated') });
      for (const answer of await Promise.all(waiting)) expect(answer.done).toBe(true);
    } finally {
      await own.stop();
    }
  });

  test.each(['SIGKILL', 'SIGABRT', 'SIGSEGV'] as const)(
    'by %s: its requests get an error, the next one an answer',
    async (signal) => {
      await generate(url, { ...endless, options: { num_predict: 1 } });
      const [pid] = server.runners();
      const streams = await Promise.all([1, 2, 3].map(() => beginAnswer(url, endless)));
      const single = post(url, '/api/generate', { ...endless, stream: false });
      await untilTakenUp(4);
      process.kill(pid as number, signal);

      const message = expect.stringContaining(`llama runner process has terminated: signal ${signal}`);
      for (const rest of streams) expect((await rest()).at(-1)).toEqual({ error: message });
      const { status, objects } = await single;
      expect([status, objects]).toEqual([500, [{ error: message }]]);

      expect(await generate(url, { ...endless, options: { num_predict: 5 } })).toMatchObject({ done: true });
      expect(server.runners()).not.toContain(pid);
      expect(isAlive(server.pid)).toBe(true);
    },
  );

  test('does not disturb the requests of another model', async () => {
    await post(url, '/api/generate', { model: 'endless', keep_alive: 0 });
    await expect.poll(() => server.runners()).toEqual([]);
    await ask(url, 'Hi', { num_predict: 1 });
    const [pid] = server.runners();
    const other = await beginAnswer(url, { ...endless, options: { num_predict: 200 } });
    process.kill(pid as number, 'SIGKILL');
    expect((await other()).at(-1)).toMatchObject({ eval_count: 200, done_reason: 'length' });
  });
});

describe('a file that is no model', () => {
  test.each([
    ['cut short', ember.subarray(0, 1_000_000), 'it is cut short'],
    ['cut in its header', ember.subarray(0, 1000), 'it ends at byte 1000'],
    ['something else', Buffer.from('PK\u0003\u0004 this is a zip file, perhaps'), 'it begins with "PK'],
    ['empty', Buffer.alloc(0), 'it ends at byte 0'],
  ])('%s: a clear error, and the server goes on', async (name, bytes, message) => {
    await addModel(server.store, 'broken', bytes);
    const { status, objects } = await post(url, '/api/generate', { model: 'broken', prompt: 'x' });
    expect([name, status]).toEqual([name, 500]);
    expect(objects[0]?.error).toContain('not a usable GGUF file');
    expect(objects[0]?.error).toContain(message);
    expect(await ask(url, 'What is 2 + 2?', { temperature: 0 })).toContain('4');
  });

  test('a GGUF whose inside makes no sense: the engine says no, and the server goes on', async () => {
    const nonsense = Buffer.from(ember);
    // The key keeps its length, so the header stays readable; the model just has no layers any more.
    nonsense.write('llama.blocc_count', nonsense.indexOf('llama.block_count'), 'latin1');
    await addModel(server.store, 'nonsense', nonsense);
    const { status, objects } = await post(url, '/api/generate', { model: 'nonsense', prompt: 'x' });
    expect(status).toBe(500);
    expect(objects[0]?.error).toMatch(/could not load the model: .*block_count/);
  });

  test('weights that are gone from the store are named', async () => {
    const folder = join(server.store, 'manifests', 'registry.ollama.ai', 'library', 'dangling');
    mkdirSync(folder, { recursive: true });
    const layer = { mediaType: mediaTypes.model, digest: digestOf('never there'), size: 1 };
    writeFileSync(join(folder, 'latest'), JSON.stringify({ config: layer, layers: [layer] }));
    const { status, objects } = await post(url, '/api/generate', { model: 'dangling', prompt: 'x' });
    expect(status).toBe(500);
    expect(objects[0]?.error).toContain('is missing from the store');
  });
});

test('whoever hangs up is forgotten: the runner stops working for them', async () => {
  await generate(url, { ...endless, options: { num_predict: 1 } });
  const controller = new AbortController();
  const body = JSON.stringify({ ...endless, options: { ...endless.options, num_predict: 1_000_000 } });
  const response = await fetch(`${url}/api/generate`, { method: 'POST', body, signal: controller.signal });
  controller.abort();
  await expect(response.text()).rejects.toThrow();
  // Somebody who still used the model would keep it loaded: a million tokens take minutes.
  await post(url, '/api/generate', { model: 'endless', keep_alive: 0 });
  await expect.poll(() => server.runners().length).toBeLessThanOrEqual(1);
});
