// A runner crash fails only its own requests. An invalid model file gives an error, not a crash.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { digestOf } from '../../src/base/digest.ts';
import { mediaTypes } from '../../src/models/store/manifests/manifest.ts';
import type { QueueResponseBody } from '../../src/server/dialects/hearth/status/queue-schema.ts';
import { ask, beginAnswer, generate, post } from '../support/client.ts';
import { addEndlessModel, addModel } from '../support/models/endless-ember.ts';
import { isAlive } from '../support/processes.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let url: string;
beforeAll(async () => {
  server = await startServer();
  url = server.url;
  await addEndlessModel(server.store, 'endless');
});
afterAll(() => server.stop());

const endless = {
  model: 'endless',
  prompt: 'Once',
  raw: true,
  options: { temperature: 1, seed: 1, num_predict: 4000 },
};

const ember = readFileSync(new URL('../../models/ember-q4_k_m.gguf', import.meta.url));

/** Waits until `count` requests hold the model and none is queued. */
async function waitForLeases(count: number): Promise<void> {
  const metrics = async (): Promise<string> => (await fetch(`${url}/metrics`)).text();
  await expect.poll(metrics).toContain(`hearth_leases{model="endless:latest"} ${count}\n`);
  const queue = async (): Promise<unknown> => (await fetch(`${url}/api/queue`)).json();
  await expect.poll(queue).toEqual({ queues: [] });
}

test.skipIf(process.platform !== 'linux')('a runner that is stopped in mid-answer is replaced', async () => {
  const own = await startServer({ environment: { HEARTH_NUM_PARALLEL: '1' } });
  try {
    const rest = await beginAnswer(own.url, { prompt: 'Tell me a long story.', options: { num_predict: 4000 } });
    const [runner = 0] = own.runners();
    process.kill(runner, 'SIGSTOP');
    const waiting = generate(own.url, { prompt: 'Hi', options: { num_predict: 2 } });
    expect((await rest()).at(-1)).toEqual({
      error: 'llama runner process has terminated: a signal had stopped it',
      code: 'runner_died',
    });
    expect((await waiting).done).toBe(true);
    expect(isAlive(runner)).toBe(false);
  } finally {
    await own.stop();
  }
});

describe('a runner that is killed', () => {
  test('does not affect queued requests: the next runner answers them', async () => {
    const own = await startServer({ environment: { HEARTH_NUM_PARALLEL: '1' } });
    try {
      const rest = await beginAnswer(own.url, { prompt: 'Tell me a long story.', options: { num_predict: 4000 } });
      const waiting = [
        generate(own.url, { prompt: 'Hi', options: { num_predict: 2 } }),
        generate(own.url, { prompt: 'Hello', options: { num_predict: 2 } }),
      ];
      const queue = async () => ((await (await fetch(`${own.url}/api/queue`)).json()) as QueueResponseBody).queues;
      await expect.poll(async () => (await queue())[0]?.waiting.length).toBe(2);
      process.kill(own.runners()[0] as number, 'SIGKILL');
      expect((await rest()).at(-1)).toEqual({
        error: expect.stringContaining('has terminated'),
        code: 'runner_died',
      });
      for (const answer of await Promise.all(waiting)) expect(answer.done).toBe(true);
    } finally {
      await own.stop();
    }
  });

  test.each(['SIGKILL', 'SIGABRT', 'SIGSEGV'] as const)(
    'by %s fails its requests, and the next request succeeds',
    async (signal) => {
      await generate(url, { ...endless, options: { num_predict: 1 } });
      const [pid] = server.runners();
      const streams = await Promise.all([1, 2, 3].map(() => beginAnswer(url, endless)));
      const single = post(url, '/api/generate', { ...endless, stream: false });
      await waitForLeases(4);
      process.kill(pid as number, signal);

      const message = expect.stringContaining(`llama runner process has terminated: signal ${signal}`);
      const error = { error: message, code: 'runner_died' };
      for (const rest of streams) expect((await rest()).at(-1)).toEqual(error);
      const { status, objects } = await single;
      expect([status, objects]).toEqual([500, [error]]);

      expect(await generate(url, { ...endless, options: { num_predict: 5 } })).toMatchObject({ done: true });
      expect(server.runners()).not.toContain(pid);
      expect(isAlive(server.pid)).toBe(true);
    },
  );

  test('does not affect requests of another model', async () => {
    await post(url, '/api/generate', { model: 'endless', keep_alive: 0 });
    await expect.poll(() => server.runners()).toEqual([]);
    await ask(url, 'Hi', { num_predict: 1 });
    const [pid] = server.runners();
    const other = await beginAnswer(url, { ...endless, options: { num_predict: 200 } });
    process.kill(pid as number, 'SIGKILL');
    expect((await other()).at(-1)).toMatchObject({ eval_count: 200, done_reason: 'length' });
  });
});

describe('an invalid model file', () => {
  /** Ember with a token that occurs twice, at which llama.cpp aborts. */
  const withTokenTwice = (): Buffer => {
    const lengthAndText = (token: string): Buffer => {
      const bytes = Buffer.from(token);
      return Buffer.concat([Buffer.from([bytes.length, 0, 0, 0, 0, 0, 0, 0]), bytes]);
    };
    const copy = Buffer.from(ember);
    // Of the same length, so that the header stays valid.
    lengthAndText('Ġthe').copy(copy, copy.indexOf(lengthAndText('Ġand')));
    return copy;
  };

  test.each([
    ['truncated', ember.subarray(0, 1_000_000), 'it is truncated'],
    ['truncated in its header', ember.subarray(0, 1000), 'it ends at byte 1000'],
    ['something else', Buffer.from('PK\u0003\u0004 this is a zip file, perhaps'), 'it starts with "PK'],
    ['empty', Buffer.alloc(0), 'it ends at byte 0'],
    ['a token twice', withTokenTwice(), 'tokenizer.ggml.tokens has "Ġthe" twice'],
  ])('%s: gives a clear error, and the server keeps running', async (name, bytes, message) => {
    await addModel(server.store, 'broken', bytes);
    const { status, objects } = await post(url, '/api/generate', { model: 'broken', prompt: 'x' });
    expect([name, status]).toEqual([name, 500]);
    expect(objects[0]?.error).toContain('not a usable GGUF file');
    expect(objects[0]?.error).toContain(message);
    expect(await ask(url, 'What is 2 + 2?', { temperature: 0 })).toContain('4');
  });

  test('a GGUF file without a layer count: loading fails, and the server keeps running', async () => {
    const nonsense = Buffer.from(ember);
    // The key keeps its length, so that the header stays valid.
    nonsense.write('llama.blocc_count', nonsense.indexOf('llama.block_count'), 'latin1');
    await addModel(server.store, 'nonsense', nonsense);
    const { status, objects } = await post(url, '/api/generate', { model: 'nonsense', prompt: 'x' });
    expect(status).toBe(500);
    expect(objects[0]?.error).toMatch(/could not load the model: .*block_count/);
  });

  test('weights missing from the store are named in the error', async () => {
    const folder = join(server.store, 'manifests', 'registry.ollama.ai', 'library', 'dangling');
    mkdirSync(folder, { recursive: true });
    const layer = { mediaType: mediaTypes.model, digest: digestOf('never there'), size: 1 };
    writeFileSync(join(folder, 'latest'), JSON.stringify({ config: layer, layers: [layer] }));
    const { status, objects } = await post(url, '/api/generate', { model: 'dangling', prompt: 'x' });
    expect(status).toBe(500);
    expect(objects[0]?.error).toContain('is missing from the store');
  });
});

test('a client disconnect stops the generation', async () => {
  await generate(url, { ...endless, options: { num_predict: 1 } });
  const controller = new AbortController();
  const body = JSON.stringify({ ...endless, options: { ...endless.options, num_predict: 1_000_000 } });
  const response = await fetch(`${url}/api/generate`, { method: 'POST', body, signal: controller.signal });
  controller.abort();
  await expect(response.text()).rejects.toThrow();
  // A request that still ran would keep the model loaded: a million tokens take minutes.
  await post(url, '/api/generate', { model: 'endless', keep_alive: 0 });
  await expect.poll(() => server.runners().length).toBeLessThanOrEqual(1);
});
