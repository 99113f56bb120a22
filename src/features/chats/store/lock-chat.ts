// One writer at a time for a conversation, also if several servers use the same folder: a lock file that exists while its
// owner reads the revision and writes the next one.

import { open, readFile, rename, rm } from 'node:fs/promises';
import { HearthError, systemCodeOf } from '../../../base/errors.ts';
import { identityOf, isRunning, type ProcessIdentity } from '../../../base/process/process-identity.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { pause } from '../../../base/time/pause.ts';

const pollMs = 20;
// A write takes milliseconds. Whether a process of another machine is alive cannot be seen.
const maxWaitMs = 10_000;

/** Runs `work` while this process has the lock at `path`. */
export async function withLock<Result>(path: string, clock: Clock, work: () => Promise<Result>): Promise<Result> {
  const deadlineMs = clock.now() + maxWaitMs;
  while (!(await tryLock(path))) {
    if (await isAbandoned(path)) await removeAbandoned(path);
    else if (clock.now() < deadlineMs) await pause(clock, pollMs);
    else throw new HearthError('busy', 'another server is writing this conversation; try again later');
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

async function tryLock(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx', 0o600);
    await file.writeFile(JSON.stringify(identityOf(process.pid))).finally(() => file.close());
    return true;
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return false;
    // The file may exist without its content.
    await rm(path, { force: true });
    throw error;
  }
}

/** Whether its owner was killed. */
async function isAbandoned(path: string): Promise<boolean> {
  try {
    return isRunning(JSON.parse(await readFile(path, 'utf8')) as ProcessIdentity) === false;
  } catch {
    // The file is being written, or is gone.
    return false;
  }
}

/** Renamed first: of several servers that find it, one removes it. */
async function removeAbandoned(path: string): Promise<void> {
  const removed = `${path}.${process.pid}`;
  await rename(path, removed).catch(() => {});
  await rm(removed, { force: true });
}
