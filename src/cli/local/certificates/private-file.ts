// Files that only this user can read.

import { randomBytes } from 'node:crypto';
import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemCodeOf } from '../../../base/errors.ts';
import { makeFolder } from '../../../base/make-folder.ts';

/** Replaces the file. It is complete at any time. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  await makeFolder(dirname(path), { mode: 0o700 });
  const temporary = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}

export async function fileExists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return false;
    throw error;
  }
}
