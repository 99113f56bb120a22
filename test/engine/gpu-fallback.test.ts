// A GPU that loads the model and then cannot compute, as seen on real machines. A fixture simulates it.

import { expect, test } from 'vitest';
import { createLogger, silentLogger } from '../../src/base/logger.ts';
import { systemClock } from '../../src/base/time/clock.ts';
import { startRunner } from '../../src/inference/engine/process/runner-process.ts';
import { startModel } from '../../src/inference/engine/process/start-model.ts';
import type { LoadCommand } from '../../src/inference/protocol/messages.ts';
import { resolveOptions } from '../../src/models/options.ts';
import { fixtureRunner } from '../support/fixture-runner.ts';

const command = { type: 'load', build: 'auto', options: resolveOptions({}).load } as LoadCommand;

test('the model is loaded again without the GPU, and the reason is reported', async () => {
  const lines: string[] = [];
  const logger = createLogger({ clock: systemClock, level: 'warn', write: (line) => lines.push(line) });
  let starts = 0;
  const { runner, fallback } = await startModel({
    startRunner() {
      starts++;
      return startRunner({
        script: fixtureRunner('dies-in-warm-up'),
        clock: systemClock,
        logger: silentLogger,
        loadTimeout: 10_000,
      });
    },
    command,
    logger,
  });
  try {
    expect(starts).toBe(2);
    expect(fallback).toContain('Some GPU');
    expect(fallback).toContain('unsupported toolchain');
    expect(lines.join('')).toContain('the GPU failed in its first decode');
    let answer = '';
    for await (const event of runner.generate({} as never, new AbortController().signal)) {
      if (event.type === 'text') answer += event.text;
    }
    expect(answer).toBe('from the CPU');
  } finally {
    await runner.stop();
  }
});

test('a runner that dies before its first decode is not started again', async () => {
  let starts = 0;
  const attempt = startModel({
    startRunner() {
      starts++;
      return startRunner({
        script: fixtureRunner('crashes-on-load'),
        clock: systemClock,
        logger: silentLogger,
        loadTimeout: 10_000,
      });
    },
    command,
    logger: silentLogger,
  });
  await expect(attempt).rejects.toMatchObject({ code: 'runner_died' });
  expect(starts).toBe(1);
});
