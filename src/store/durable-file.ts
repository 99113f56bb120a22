// Files that are either there and whole, or not there: written under another name, flushed to the disk, then
// renamed.

import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, link, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemCodeOf } from '../kernel/errors.ts';

/** A name that is neither a blob's nor, because of its dot, a tag's. */
function temporaryName(folder: string): string {
  return join(folder, `.hearth-${randomBytes(8).toString('hex')}`);
}

export async function writeDurably(path: string, content: Uint8Array): Promise<void> {
  await replaceDurably(path, async (temporary) => {
    const file = await open(temporary, 'wx', 0o644);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
  });
}

/** Brings a file in without a second copy of its bytes where the file system can do that. */
export async function adoptFile(source: string, path: string): Promise<void> {
  await replaceDurably(path, async (temporary) => {
    for (const adopt of [reflink, link, copyFile]) {
      try {
        await adopt(source, temporary);
        return;
      } catch (error) {
        if (adopt === copyFile || systemCodeOf(error) === 'ENOENT') throw error;
      }
    }
  });
}

const reflink = (source: string, target: string): Promise<void> =>
  copyFile(source, target, constants.COPYFILE_FICLONE_FORCE);

async function replaceDurably(path: string, write: (temporary: string) => Promise<void>): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true });
  const temporary = temporaryName(folder);
  try {
    await write(temporary);
    await rename(temporary, path);
    await syncFolder(folder);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

// Without this a crash can forget the renaming. Windows cannot open folders, and does not need to.
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
