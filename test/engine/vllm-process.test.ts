// The life of a vLLM process, with a program in its place that fails in ways that the real one shows only after minutes.

import { chmodSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { silentLogger } from '../../src/base/logger.ts';
import { systemClock } from '../../src/base/time/clock.ts';
import { startVllm } from '../../src/features/vllm/start-vllm.ts';
import type { StartedProgram } from '../../src/inference/engine/hosted/engine-program.ts';
import { isAlive } from '../support/processes.ts';
import { repository } from '../support/repository.ts';

const fake = repository('test/fixtures/programs/fake-vllm.mjs');
chmodSync(fake, 0o755);
const never = new AbortController().signal;
const started: StartedProgram[] = [];

afterEach(() => Promise.all(started.splice(0).map(({ process }) => process.stop())));

function start(kind: string, { setting = fake, loadTimeout = 60_000, signal = never } = {}) {
  const steps: string[] = [];
  let worker = 0;
  const note = (line: string): void => {
    worker = Number(/^worker (\d+)$/.exec(line)?.[1] ?? worker);
  };
  const source = { kind: 'hosted', key: kind, engine: 'vllm', checkpoint: `/models/${kind}`, parameters: {} } as const;
  const order = {
    name: 'model:latest',
    source: { ...source, capabilities: [] },
    estimated: { bytes: 1 },
    report: (step: string) => void steps.push(step),
  };
  const parts = {
    setting,
    environment: { PATH: process.env['PATH'] },
    script: repository('dist/features/vllm/guard-program.js'),
    loadTimeout,
    sleepMs: 60_000,
    sleepSupport: { isRefused: false },
    clock: systemClock,
    logger: { ...silentLogger, info: note },
  };
  const result = startVllm({ ...order, ...parts }, signal).then((program) => {
    started.push(program);
    return program;
  });
  return { result, steps, worker: () => worker };
}

test('it serves on a port of this machine, and its processes end with it', async () => {
  const { result, steps, worker } = start('good');
  const { process, contextLength } = await result;
  expect(process.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect([contextLength, process.servedModel]).toEqual([1024, 'model:latest']);
  expect(steps).toEqual(['loading weights 3 of 8']);
  await expect.poll(() => process.memory?.totalBytes ?? 0).toBeGreaterThan(0);
  expect((await fetch(`${process.url}/v1/models`)).status).toBe(401);
  expect(isAlive(worker())).toBe(true);
  await process.stop();
  expect(await process.exited).toBeUndefined();
  expect([process.pid, worker()].map(isAlive)).toEqual([false, false]);
});

test('a process that is killed is reported, and what it has started is gone', async () => {
  const { result, worker } = start('good');
  const program = await result;
  process.kill(program.process.pid, 'SIGKILL');
  expect(await program.process.exited).toMatchObject({ code: 'runner_died', message: /signal SIGKILL/ });
  await expect.poll(() => isAlive(worker())).toBe(false);
});

test.each([
  ['crashes', 'runner_died', 'vLLM has terminated: exit code 3'],
  ['refused', 'runner_died', "exit code 1: ValueError: Model architectures ['Nonsense'] are not supported"],
])('a program that is "%s" rejects the load', async (kind, code, message) => {
  const { result } = start(kind);
  await expect(result).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
});

test('a program that is never ready is ended after the time without progress', async () => {
  const { result, worker } = start('never-ready', { loadTimeout: 1500 });
  await expect(result).rejects.toMatchObject({ code: 'runner_died', message: /no progress/ });
  expect(isAlive(worker())).toBe(false);
});

test('a load that is canceled leaves nothing', async () => {
  const canceled = new AbortController();
  const { result, worker } = start('never-ready', { signal: canceled.signal });
  await expect.poll(worker).toBeGreaterThan(0);
  canceled.abort();
  await expect(result).rejects.toMatchObject({ code: 'shutting_down' });
  expect(isAlive(worker())).toBe(false);
});

test('a program that does not exist is named', async () => {
  const { result } = start('good', { setting: 'no-such-vllm' });
  await expect(result).rejects.toMatchObject({ code: 'load_failed', message: /no-such-vllm was not found/ });
});
