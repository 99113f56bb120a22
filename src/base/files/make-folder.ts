// Creates a folder and its parents. Node's recursive `mkdir` never returns in file systems such as /proc, where a folder
// that exists cannot contain new ones.

import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemCodeOf } from '../errors.ts';

interface MakeFolderOptions {
  readonly mode?: number;
  /** Called with the parent of each folder that was created. */
  readonly onCreated?: (parent: string) => Promise<void>;
}

// Another process may remove an empty parent in the meantime.
const maxAttempts = 3;

export async function makeFolder(folder: string, { mode, onCreated }: MakeFolderOptions = {}): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      for (const path of await findMissing(folder)) {
        await mkdir(path, mode === undefined ? {} : { mode }).catch(ignoreExisting);
        await onCreated?.(dirname(path));
      }
      return;
    } catch (error) {
      if (systemCodeOf(error) !== 'ENOENT' || attempt === maxAttempts) throw error;
    }
  }
}

/** Outermost first. */
async function findMissing(folder: string): Promise<string[]> {
  const missing: string[] = [];
  for (let path = folder; !(await exists(path)); path = dirname(path)) {
    missing.unshift(path);
    if (path === dirname(path)) break;
  }
  return missing;
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCodeOf(error) ?? '')) return false;
    throw error;
  }
}

function ignoreExisting(error: unknown): void {
  if (systemCodeOf(error) !== 'EEXIST') throw error;
}
