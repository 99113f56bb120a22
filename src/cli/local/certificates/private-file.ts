// Files that only this user can read.

import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemCodeOf } from '../../../base/errors.ts';
import { makeFolder } from '../../../base/files/make-folder.ts';
import { replaceFile } from '../../../base/files/replace-file.ts';

/** Replaces the file. It is complete at any time. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  await makeFolder(dirname(path), { mode: 0o700 });
  await replaceFile(path, text);
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
