// The folder of a download. Its name has the id of the process, which says whether the download still runs, and what is
// downloaded, so that the next process can continue.

import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCodeOf } from '../../base/errors.ts';
import { makeFolder } from '../../base/files/make-folder.ts';
import { partSuffix } from '../../models/package-client/package-client.ts';

const prefix = '.download-';

/**
 * `what` is the name and the version of a backend. Takes over what a process that has ended has left of it, and removes
 * other leftovers.
 */
export async function openWorkFolder(folder: string, what: string): Promise<string> {
  const own = join(folder, `${prefix}${process.pid}-${what}`);
  for (const name of await readdir(folder)) {
    const [, pid, downloaded] = /^\.download-(\d+)-(.+)$/.exec(name) ?? [];
    const path = join(folder, name);
    if (!name.startsWith(prefix) || path === own || isRunning(Number(pid))) continue;
    // Another process may be faster.
    if (downloaded !== what || !(await rename(path, own).then(isTrue, isFalse)))
      await rm(path, { recursive: true, force: true });
  }
  await makeFolder(own);
  return own;
}

/** Whether a download can be continued. */
export async function hasPart(work: string): Promise<boolean> {
  return (await readdir(work)).some((name) => name.endsWith(partSuffix));
}

const isTrue = (): boolean => true;
const isFalse = (): boolean => false;

function isRunning(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process of another user.
    return systemCodeOf(error) === 'EPERM';
  }
}
