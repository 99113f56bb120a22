// Backends that do not load, and a GPU that loads a model but fails to compute. Seen on real machines; simulated by
// fixtures.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { childEnvironment } from '../../src/base/config/child-environment.ts';
import { createLogger, silentLogger } from '../../src/base/logger.ts';
import { systemClock } from '../../src/base/time/clock.ts';
import type { BackendAttempt } from '../../src/inference/backends/plan-backends.ts';
import { startRunner } from '../../src/inference/engine/process/runner-process.ts';
import { startModel } from '../../src/inference/engine/process/start-model.ts';
import type { LoadCommand } from '../../src/inference/protocol/messages.ts';
import { resolveOptions } from '../../src/models/options.ts';
import { emberSource, launcher, runnerScript } from '../support/engine.ts';
import { fixtureRunner } from '../support/fixture-runner.ts';

const command = { type: 'load', options: resolveOptions({}).load } as LoadCommand;
const attempts: readonly BackendAttempt[] = [
  { name: 'cuda', build: 'auto', libraries: ['/backends/libggml-cuda.so'] },
  { name: 'cpu', build: 'cpu', libraries: [] },
];

test('the model is loaded again without the GPU, and the reason is reported', async () => {
  const lines: string[] = [];
  const logger = createLogger({ clock: systemClock, level: 'warn', write: (line) => lines.push(line) });
  let starts = 0;
  const { runner, backend, fallback } = await startModel({
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
    attempts,
    logger,
  });
  try {
    expect(starts).toBe(2);
    expect(backend).toBe('cpu');
    expect(fallback).toContain('Some GPU');
    expect(fallback).toContain('unsupported toolchain');
    expect(lines.join('')).toContain('the GPU failed in its first decode');
    let answer = '';
    for await (const event of runner.generate({} as never, new AbortController().signal)) {
      if (event.type === 'tokens') answer += event.text;
    }
    expect(answer).toBe('from the CPU');
  } finally {
    await runner.stop();
  }
});

test('a runner that dies before computing is not retried', async () => {
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
    attempts: [{ name: 'cpu', build: 'cpu', libraries: [] }],
    logger: silentLogger,
  });
  await expect(attempt).rejects.toMatchObject({ code: 'runner_died' });
  expect(starts).toBe(1);
});

// ggml's struct of a backend, as far as the fixture needs it.
const fixtureSource = `
#include <stddef.h>
#include <stdlib.h>
struct registry {
  int version;
  const char *(*name)(void *);
  size_t (*count)(void *);
  void *(*device)(void *, size_t);
  void *(*address)(void *, const char *);
  void *context;
};
static const char *name(void *self) { (void)self; return "Fixture"; }
static size_t count(void *self) { (void)self; return 0; }
static struct registry registry = { VERSION, name, count, NULL, NULL, NULL };
void *ggml_backend_init(void) { ACTION; return &registry; }
`;
const hasCompiler = spawnSync('gcc', ['--version'], { stdio: 'ignore' }).status === 0;
if (!hasCompiler) console.warn('gcc is not installed: the test with backends that do not load is skipped');

test.skipIf(!hasCompiler)('backends that do not load lead to the next one, and each reason is reported', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-fixture-backends-'));
  const compile = (name: string, version: number, action: string): string => {
    const library = join(folder, `libggml-${name}.so`);
    const args = ['-shared', '-fPIC', `-DVERSION=${version}`, `-DACTION=${action}`, '-x', 'c', '-', '-o', library];
    const { status, stderr } = spawnSync('gcc', args, { input: fixtureSource });
    if (status !== 0) throw new Error(String(stderr));
    return library;
  };
  const notALibrary = join(folder, 'libggml-text.so');
  writeFileSync(notALibrary, 'text');
  const libraries = {
    missing: join(folder, 'libggml-missing.so'),
    text: notALibrary,
    crash: compile('crash', 2, 'abort()'),
    old: compile('old', 1, '(void)0'),
    empty: compile('empty', 2, '(void)0'),
  };
  const { runner, backend, fallback } = await startModel({
    startRunner: ({ libraries: files }) =>
      startRunner({
        script: runnerScript,
        files: [emberSource.weightsPath, ...files],
        childSettings: { launcher, environment: childEnvironment(process.env) },
        clock: systemClock,
        logger: silentLogger,
        loadTimeout: 60_000,
      }),
    command: {
      type: 'load',
      modelPath: emberSource.weightsPath,
      adapterPaths: [],
      options: resolveOptions({ numCtx: 64, tensorSplit: '3,1' }).load,
      contextLengths: [64],
      parallel: 1,
      flashAttention: 'auto',
      cacheTypes: { keys: 'f16', values: 'f16' },
      prefixCacheBytes: 0,
    },
    attempts: [
      ...Object.entries(libraries).map(([name, path]): BackendAttempt => ({ name, build: 'auto', libraries: [path] })),
      { name: 'cpu', build: 'cpu', libraries: [] },
    ],
    logger: silentLogger,
  });
  try {
    expect(backend).toBe('cpu');
    const reasons = Object.fromEntries((fallback ?? '').split('; ').map((reason) => reason.split(/: (.*)/s)));
    expect(reasons).toMatchObject({
      missing: expect.stringContaining('No such file or directory'),
      text: expect.stringContaining('file too short'),
      crash: expect.stringMatching(/terminated: signal SIGABRT/),
      old: expect.stringMatching(/^the backend is of another version, .*incompatible API version/),
      empty: 'the backend found no GPU',
    });
    expect(await runner.countTokens('Hello')).toBeGreaterThan(0);
  } finally {
    await runner.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
