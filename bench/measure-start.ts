// Measures the start of the installed command with 35 models in the store: from the command to the first answer, in
// turns with `node -e 0`, and the memory of a server without work.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../test/support/free-port.ts';
import { pause, residentBytes } from '../test/support/processes.ts';
import { repository } from '../test/support/repository.ts';
import { fillStore } from './fill-store.ts';
import { median, report, rounds } from './report.ts';

const models = 35;
// The code cache is written, and the first garbage collections are over.
const idleAfterMs = 3000;

interface Start {
  readonly milliseconds: number;
  readonly residentBytes: number;
}

export async function reportStart(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'hearth-start-'));
  try {
    await fillStore(join(home, 'models'), models);
    // Installs the embedded models and writes the code cache.
    const first = await measureStart(home);
    const starts: Start[] = [];
    const bare: number[] = [];
    for (let turn = 0; turn < rounds; turn++) {
      bare.push(await measureNode());
      starts.push(await measureStart(home));
    }
    const time = median(starts.map(({ milliseconds }) => milliseconds));
    const memory = median(starts.map((start) => start.residentBytes)) / 1e6;
    const node = median(bare);
    report({
      what: `start with ${models} models, from the command to the answer of /api/version`,
      value: `${time.toFixed(0)} ms; node -e 0: ${node.toFixed(0)} ms; first start ever: ${first.milliseconds.toFixed(0)} ms`,
      goal: '≤ 250 ms',
      met: time <= 250,
    });
    report({
      what: 'memory of the idle server',
      value: `${memory.toFixed(0)} MB`,
      goal: '≤ 80 MB',
      met: memory <= 80,
    });
  } finally {
    rmSync(home, { recursive: true });
  }
}

async function measureNode(): Promise<number> {
  const begun = performance.now();
  await once(spawn(process.execPath, ['-e', '0']), 'exit');
  return performance.now() - begun;
}

async function measureStart(home: string): Promise<Start> {
  const port = await freePort();
  const begun = performance.now();
  const child = spawn(process.execPath, [repository('bin/hearth.cjs'), 'serve'], {
    stdio: 'ignore',
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      HEARTH_HOST: `127.0.0.1:${port}`,
      HEARTH_MODELS: join(home, 'models'),
    },
  });
  try {
    while (!(await isAnswering(port))) {
      if (child.exitCode !== null) throw new Error('the server ended');
      await pause(2);
    }
    const milliseconds = performance.now() - begun;
    await pause(idleAfterMs);
    return { milliseconds, residentBytes: residentBytes(child.pid as number) };
  } finally {
    await end(child);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

function isAnswering(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ port, host: '127.0.0.1', path: '/api/version', agent: false }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode === 200));
    });
    request.on('error', () => resolve(false));
  });
}
