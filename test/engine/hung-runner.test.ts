// A runner that stops responding after its load.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { silentLogger } from '../../src/base/logger.ts';
import { systemClock } from '../../src/base/time/clock.ts';
import type { Engine } from '../../src/inference/engine/ports.ts';
import { startRunner } from '../../src/inference/engine/process/runner-process.ts';
import type { LoadCommand } from '../../src/inference/protocol/messages.ts';
import { resolveOptions } from '../../src/models/options.ts';
import { answerOf, never, requestOf, startEngine } from '../support/engine.ts';
import { fixtureRunner } from '../support/fixture-runner.ts';
import { isAlive } from '../support/processes.ts';

describe.skipIf(process.platform === 'win32')('a stopped runner', () => {
  let folder: string;
  let engine: Engine;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hearth-hung-'));
    await writeFile(join(folder, 'model.gguf'), '');
    engine = startEngine({ responseTimeout: 300 }, fixtureRunner('stops-once'));
  });
  afterEach(async () => {
    await engine.close(0);
    await rm(folder, { recursive: true });
  });
  const acquire = (signal = never) =>
    engine.acquire(
      {
        name: 'm',
        source: { kind: 'local', key: 'm', weightsPath: join(folder, 'model.gguf'), adapterPaths: [], fileBytes: 0 },
        options: resolveOptions({}).load,
      },
      signal,
    );

  test('is replaced, and waiting generations move on', async () => {
    const leases = await Promise.all([acquire(), acquire()]);
    const answers = leases.map((lease) => answerOf(lease.generate(requestOf('x'), never)));
    for (const { text } of await Promise.all(answers)) expect(text).toBe('ok');
  });

  test('is replaced, and questions move on', async () => {
    const lease = await acquire();
    expect(await lease.countTokens('abc')).toBe(3);
  });

  test('does not hold a question whose request has ended', async () => {
    const controller = new AbortController();
    const lease = await acquire(controller.signal);
    const count = lease.countTokens('abc');
    controller.abort();
    await expect(count).rejects.toMatchObject({ code: 'cancelled' });
    lease.release();
  });
});

test('the answer to a canceled question is ignored', async () => {
  const runner = startRunner({
    script: fixtureRunner('well-behaved'),
    clock: systemClock,
    logger: silentLogger,
    loadTimeout: 10_000,
    responseTimeout: 200,
  });
  await runner.load({ type: 'load' } as LoadCommand);
  const controller = new AbortController();
  const count = runner.countTokens('abc', { signal: controller.signal });
  controller.abort();
  await expect(count).rejects.toMatchObject({ code: 'cancelled' });
  expect(await runner.countTokens('abcd')).toBe(4);
  expect(isAlive(runner.pid)).toBe(true);
  await runner.stop();
});
