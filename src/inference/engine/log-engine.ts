// The line of the log that says what models run on: the llama.cpp build, its devices, and the defaults. The devices are
// only known to a process that has loaded llama.cpp, and the server does not load native code.

import type { StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { Logger } from '../../base/logger.ts';
import { type ChildSettings, spawnChild } from '../../base/spawn-child.ts';
import type { Clock } from '../../base/time/clock.ts';
import type { EngineSettings } from './create-engine.ts';
import { automaticMemoryBudget } from './planning/estimate-memory.ts';

export interface LogEngineOptions {
  /** The script that prints the build and the devices. */
  readonly script: string;
  readonly settings: EngineSettings;
  readonly childSettings?: ChildSettings;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The server stops. */
  readonly signal: AbortSignal;
}

// Milliseconds. A driver that hangs must not leave a process behind.
const timeout = 30_000;
const maxOutput = 65_536;

export async function logEngine(options: LogEngineOptions): Promise<void> {
  const { settings, logger, signal } = options;
  // Without a build the first load reports why.
  const { build = 'unknown', devices = 'unknown' } = (await describeBuild(options).catch(() => undefined)) ?? {};
  if (signal.aborted) return;
  logger.info('engine', {
    build,
    devices,
    memory: `${((settings.memoryBudget || automaticMemoryBudget()) / 2 ** 30).toFixed(1)} GiB`,
    context: settings.contextLength || 'automatic',
    parallel: settings.numParallel || 'automatic',
  });
}

async function describeBuild(options: LogEngineOptions): Promise<{ build: string; devices: string }> {
  const { script, settings, childSettings = {}, clock, signal } = options;
  const stdio = ['ignore', 'pipe', 'ignore'] satisfies StdioOptions;
  const child = spawnChild(childSettings, { script, args: [settings.build], read: [], stdio });
  const stop = (): void => void child.kill('SIGKILL');
  const timer = clock.after(timeout, stop);
  signal.addEventListener('abort', stop, { once: true });
  let output = '';
  (child.stdout as Readable).setEncoding('utf8').on('data', (chunk: string) => {
    if (output.length < maxOutput) output += chunk;
  });
  try {
    await once(child, 'close');
  } finally {
    timer.cancel();
    signal.removeEventListener('abort', stop);
  }
  const { build, devices } = JSON.parse(output) as { readonly build: unknown; readonly devices: unknown };
  return { build: String(build), devices: Array.isArray(devices) ? devices.map(String).join(', ') : 'unknown' };
}
