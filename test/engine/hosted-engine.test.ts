// A server with models of vLLM, and a program in place of vLLM that ends or sleeps when a test needs it. The text of an
// answer is the id of the process that gave it.

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ChatResponseBody } from '../../src/server/dialects/ollama/generation/chat-schema.ts';
import type { PsResponseBody } from '../../src/server/dialects/ollama/status/ps-schema.ts';
import { type Body, post } from '../support/client.ts';
import { childrenOf, commandOf, isAlive, pause } from '../support/processes.ts';
import { repository } from '../support/repository.ts';
import { startServer, type TestServer } from '../support/server.ts';

const fake = repository('test/fixtures/programs/fake-vllm.mjs');
const gibibyte = 2 ** 30;
// What the server assumes for the program of vLLM.
const programBytes = 2.5 * gibibyte;
const folder = mkdtempSync(join(tmpdir(), 'hearth-hosted-'));
let server: TestServer;

beforeAll(async () => {
  chmodSync(fake, 0o755);
  const environment = { HEARTH_VLLM: fake, HEARTH_MEMORY_BUDGET: '9GiB', HEARTH_VLLM_SLEEP: '1h' };
  server = await startServer({ environment: { ...environment, VLLM_CPU_KVCACHE_SPACE: '1' } });
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** `kind`: what the program does, if that is not its name. */
async function create(name: string, parameters: Body = {}, kind = name): Promise<void> {
  const checkpoint = join(folder, name, kind);
  mkdirSync(checkpoint, { recursive: true });
  writeFileSync(join(checkpoint, 'config.json'), '{"model_type":"llama"}');
  writeFileSync(join(checkpoint, 'model.safetensors'), Buffer.alloc(1000));
  const body = { model: name, from: checkpoint, engine: 'vllm', parameters, stream: false };
  const { status, text } = await post(server.url, '/api/create', body);
  expect(status, text).toBe(200);
}

async function ask(model: string, more: Body = {}) {
  const body = { model, messages: [{ role: 'user', content: 'Hi' }], stream: false, ...more };
  const { status, objects, text } = await post<ChatResponseBody>(server.url, '/api/chat', body);
  return { status, text, error: objects[0]?.error, pid: Number(objects[0]?.message?.content) };
}

const loaded = async (): Promise<PsResponseBody['models']> =>
  ((await (await fetch(`${server.url}/api/ps`)).json()) as PsResponseBody).models;

async function stateOf(model: string) {
  return (await loaded()).find(({ name }) => name === `${model}:latest`)?.state;
}

describe('a process that ends before it has answered', () => {
  test('a request that comes before its end is known gets an answer of the next process', async () => {
    await create('killed', {}, 'good');
    const { pid } = await ask('killed');
    const guard = childrenOf(server.pid).find((candidate) => childrenOf(candidate).includes(pid)) ?? 0;
    expect(commandOf(guard)).toContain('guard-program');
    // The server learns of the end from the guard.
    process.kill(guard, 'SIGSTOP');
    process.kill(pid, 'SIGKILL');
    const waiting = ask('killed');
    await pause(500);
    process.kill(guard, 'SIGCONT');
    const { status, text, pid: next } = await waiting;
    expect(status, text).toBe(200);
    expect(next).not.toBe(pid);
    expect(isAlive(next)).toBe(true);
  });

  test('all requests that have no answer yet get one of the same next process', async () => {
    await create('dies-once');
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask('dies-once')));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(new Set(answers.map(({ pid }) => pid)).size).toBe(1);
  });

  test('a second end is an error that says so', async () => {
    await create('dies');
    const { status, error } = await ask('dies');
    expect([status, error]).toEqual([500, 'vLLM has terminated: signal SIGKILL']);
    await expect.poll(() => stateOf('dies')).toBeUndefined();
  });
});

describe('sleep', () => {
  const parameters = { enable_sleep_mode: true };
  const asleep = async (model: string): Promise<number> => {
    const { pid } = await ask(model, { keep_alive: '100ms' });
    await expect.poll(() => stateOf(model)).toBe('sleeping');
    return pid;
  };

  test('after keep_alive a model sleeps, and the next request wakes the same process', async () => {
    await create('sleeper', parameters, 'good');
    const pid = await asleep('sleeper');
    const entry = (await loaded()).find(({ name }) => name === 'sleeper:latest');
    expect(entry).toMatchObject({ size: programBytes + 1000, size_vram: 0, state: 'sleeping' });
    expect(Date.parse(entry?.expires_at ?? '') - Date.now()).toBeGreaterThan(50 * 60_000);
    const { status, text, pid: again } = await ask('sleeper', { keep_alive: '1h' });
    expect(status, text).toBe(200);
    expect(again).toBe(pid);
    expect(await stateOf('sleeper')).toBe('idle');
  });

  test('one that is unloaded while it sleeps is ended', async () => {
    const pid = await asleep('sleeper');
    await post(server.url, '/api/generate', { model: 'sleeper', keep_alive: 0 });
    await expect.poll(() => isAlive(pid)).toBe(false);
    expect(await stateOf('sleeper')).toBeUndefined();
  });

  test('those that sleep are ended when their main memory is needed', async () => {
    const names = ['first', 'second', 'third', 'fourth'];
    for (const name of names) await create(name, parameters, 'good');
    const [pid = 0] = [await asleep('first'), await asleep('second'), await asleep('third')];
    // 3 × 2.5 GiB sleep, and a load takes 3.5 GiB of the 9 GiB.
    const { status, text } = await ask('fourth', { keep_alive: '1h' });
    expect(status, text).toBe(200);
    await expect.poll(() => isAlive(pid)).toBe(false);
    const states = Object.fromEntries((await loaded()).map(({ name, state }) => [name, state]));
    expect(states).toMatchObject({ 'third:latest': 'sleeping', 'fourth:latest': 'idle' });
  });

  test('one that does not sleep although it says so is ended', async () => {
    await create('stays-awake', parameters);
    const { pid } = await ask('stays-awake', { keep_alive: '100ms' });
    await expect.poll(() => isAlive(pid)).toBe(false);
    expect(server.log()).toContain('vLLM does not sleep');
  });

  test('one that does not wake up is ended, and the request gets an answer of another one', async () => {
    await create('stays-asleep', parameters);
    const pid = await asleep('stays-asleep');
    const { status, text, pid: next } = await ask('stays-asleep');
    expect(status, text).toBe(200);
    expect([next === pid, isAlive(pid)]).toEqual([false, false]);
    expect(server.log()).toContain('vLLM answers /wake_up with status 500');
  });

  test('without the parameter a model is ended', async () => {
    await create('plain', {}, 'good');
    const { pid } = await ask('plain', { keep_alive: '100ms' });
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  test('a vLLM that cannot sleep on this platform is started without that, and ended', async () => {
    await create('refuses-sleep', parameters);
    const { status, text, pid } = await ask('refuses-sleep', { keep_alive: '100ms' });
    expect(status, text).toBe(200);
    expect(server.log()).toMatch(/vLLM cannot sleep here.*Sleep mode is not supported/);
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});
