import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { getPriority } from 'node:os';
import { expect, test } from 'vitest';
import { lowerPriority } from './lower-priority.ts';

// Windows has few priorities.
test.skipIf(process.platform === 'win32')('a process goes down by steps, to the lowest priority', async () => {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
  await once(child, 'spawn');
  const pid = child.pid as number;
  const own = getPriority();
  lowerPriority(3, pid);
  expect(getPriority(pid)).toBe(Math.min(19, own + 3));
  lowerPriority(100, pid);
  expect(getPriority(pid)).toBe(19);
  lowerPriority(1, pid);
  expect(getPriority(pid)).toBe(19);
  child.stdin.end();
  await once(child, 'close');
});
