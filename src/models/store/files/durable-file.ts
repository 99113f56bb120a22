// Atomic writes: a file is written under a temporary name, flushed to disk, then renamed.

import { constants } from 'node:fs';
import { copyFile, type FileHandle, link, lstat, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '../../../base/files/make-folder.ts';
import { explainDiskError } from './disk-errors.ts';
import { temporaryPath } from './temporary-file.ts';

export async function writeDurably(path: string, content: Uint8Array): Promise<void> {
  await writeInto(dirname(path), async (temporary) => {
    await writeNew(temporary, (file) => file.writeFile(content));
    return path;
  });
}

/** Creates a file and flushes it after `write`. */
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
 * Adds a copy of a file. On file systems with reflinks, both share their bytes on disk until one of them is modified.
 * `check` runs on the copy before it is renamed.
 */
export async function adoptFile(source: string, path: string, check: (file: string) => Promise<void>): Promise<void> {
  await writeInto(dirname(path), async (temporary) => {
    // Not a hard link: damage to the source would damage the store.
    await copyFile(source, temporary, constants.COPYFILE_FICLONE);
    await check(temporary);
    await syncFile(temporary);
    return path;
  });
}

/**
 * Makes a file at `path` that shares its bytes with `source`, where the file system can do that: a reflink, otherwise a
 * hard link. Only for sources whose content never changes; the digest of the file is checked afterwards.
 */
export async function linkFile(source: string, path: string): Promise<void> {
  const attempts = [
    () => copyFile(source, path, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE_FORCE),
    // Refused across file systems, and for files of other users.
    () => link(source, path),
    () => copyFile(source, path, constants.COPYFILE_EXCL),
  ];
  // Reading a FIFO would block.
  if (!(await lstat(source)).isFile()) throw new Error(`${source} is not a regular file`);
  for (const [index, attempt] of attempts.entries()) {
    try {
      return await attempt();
    } catch (error) {
      if (index === attempts.length - 1) throw error;
      await rm(path, { force: true });
    }
  }
}

/**
 * Calls `write` with a temporary path in the folder, then renames the file to the path that `write` returns. If that is
 * undefined, the file is discarded. Nothing is left behind after a failure.
 */
export async function writeInto(
  folder: string,
  write: (temporary: string) => Promise<string | undefined>,
): Promise<void> {
  const temporary = temporaryPath(folder);
  try {
    await makeDurableFolder(folder);
    const path = await write(temporary);
    if (path !== undefined) {
      await rename(temporary, path);
      await syncFolder(folder);
    }
  } catch (error) {
    throw explainDiskError(error, folder);
  } finally {
    await rm(temporary, { force: true }).catch(() => {});
  }
}

/** The new folders survive a crash. */
export const makeDurableFolder = (folder: string): Promise<void> => makeFolder(folder, { onCreated: syncFolder });

/** Without this, a crash can undo a rename or removal. */
export const syncFolder = (folder: string): Promise<void> => syncFile(folder);

// Windows flushes only handles opened for writing, which folders cannot be.
export async function syncFile(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
