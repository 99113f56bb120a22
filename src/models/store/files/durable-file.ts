// Files that are either there and whole, or not there: written under another name, flushed to the disk, then
// renamed.

import { constants } from 'node:fs';
import { copyFile, type FileHandle, link, mkdir, open, realpath, rename, rm } from 'node:fs/promises';
import { dirname, relative, sep } from 'node:path';
import { systemCodeOf } from '../../../base/errors.ts';
import { explainDiskError } from './disk-errors.ts';
import { temporaryPath } from './temporary-file.ts';

export async function writeDurably(path: string, content: Uint8Array): Promise<void> {
  await writeInto(dirname(path), async (temporary) => {
    await writeNew(temporary, (file) => file.writeFile(content));
    return path;
  });
}

/** Creates a file, and flushes it when `write` is done. */
export async function writeNew<T>(path: string, write: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, 'wx', 0o644);
  try {
    const result = await write(file);
    await file.sync();
    return result;
  } finally {
    await file.close();
  }
}

/**
 * Brings a file in without a second copy of its bytes where the file system can do that; `check` sees the file that was
 * brought in, before it gets its name.
 */
export async function adoptFile(source: string, path: string, check: (file: string) => Promise<void>): Promise<void> {
  await writeInto(dirname(path), async (temporary) => {
    // A link to a symbolic link would be a symbolic link.
    await copyCheaply(await realpath(source), temporary);
    await check(temporary);
    await syncFile(temporary);
    return path;
  });
}

async function copyCheaply(source: string, target: string): Promise<void> {
  for (const copy of [reflink, link, copyFile]) {
    try {
      return await copy(source, target);
    } catch (error) {
      if (copy === copyFile || systemCodeOf(error) === 'ENOENT') throw error;
    }
  }
}

const reflink = (source: string, target: string): Promise<void> =>
  copyFile(source, target, constants.COPYFILE_FICLONE_FORCE);

/**
 * Lets `write` make a temporary file in the folder, and gives it the name that `write` returns; undefined when it is
 * not needed after all. Whatever fails, nothing is left behind.
 */
export async function writeInto(
  folder: string,
  write: (temporary: string) => Promise<string | undefined>,
): Promise<void> {
  const temporary = temporaryPath(folder);
  try {
    await makeFolder(folder);
    const path = await write(temporary);
    if (path !== undefined) {
      await rename(temporary, path);
      await syncFolder(folder);
    }
  } catch (error) {
    throw explainDiskError(error, folder);
  } finally {
    // After a renaming too: one link to a file does not replace another, and both would stay.
    await rm(temporary, { force: true }).catch(() => {});
  }
}

/** As `mkdir -p`, but a crash cannot forget the new folders. */
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined) return;
  let parent = dirname(first);
  await syncFolder(parent);
  for (const part of relative(parent, folder).split(sep).slice(0, -1)) {
    parent = `${parent}${sep}${part}`;
    await syncFolder(parent);
  }
}

/** Without this a crash can forget a renaming or a removal. */
export const syncFolder = (folder: string): Promise<void> => syncFile(folder);

// Windows flushes only what was opened for writing, which folders never are.
export async function syncFile(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
