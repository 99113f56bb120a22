// Children of a server that was killed.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { bundleFixture } from '../support/bundle-fixture.ts';
import { isAlive } from '../support/processes.ts';

const parentProgram = `
  const env = { ...process.env, HEARTH_SERVER_PID: String(process.pid) };
  const options = { stdio: ['ignore', 'ignore', 'inherit'], env };
  const child = require('node:child_process').spawn(process.execPath, [process.argv[1]], options);
  process.stdout.write(String(child.pid));
`;

test('a child in native code ends with its server', async () => {
  const script = await bundleFixture('blocked-child');
  const parent = spawn(process.execPath, ['--eval', parentProgram, script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output] = (await once(parent.stdout as Readable, 'data')) as [Buffer];
  const pid = Number(output.toString());
  expect(isAlive(pid)).toBe(true);
  parent.kill('SIGKILL');
  await once(parent, 'close');
  await expect.poll(() => isAlive(pid), { timeout: 20_000 }).toBe(false);
});
