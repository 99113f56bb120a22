// The key that this installation signs with: found, or made at first need. However many processes need it for the first
// time at once, they end with the same one, and a file that has the key's name is whole.

import { randomBytes } from 'node:crypto';
import { link, mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { HearthError, messageOf, systemCodeOf } from '../../base/errors.ts';
import { formatPrivateKey, generatePrivateKey, maxKeyText, type PrivateKey, parsePrivateKey } from './private-key.ts';

export interface KeyFolders {
  /** Where ours is, and where it is made. */
  readonly folder: string;
  /** Where another server may have left one that is registered already; only looked at. */
  readonly fallbackFolder?: string;
}

export const keyFileName = 'id_ed25519';
const comment = 'hearth';

/** Throws `bad_key`, with the file in the sentence, for one that cannot be used: a second one beside it would confuse. */
export async function loadOrCreateKey({ folder, fallbackFolder }: KeyFolders): Promise<PrivateKey> {
  const path = join(folder, keyFileName);
  const found =
    (await readKey(path)) ??
    (fallbackFolder === undefined ? undefined : await readKey(join(fallbackFolder, keyFileName)));
  if (found !== undefined) return found;
  try {
    await createKey(folder, path);
  } catch (error) {
    throw new HearthError('bad_key', `no key could be made in ${folder}: ${messageOf(error)}`, { cause: error });
  }
  // It may be that of another process.
  const key = await readKey(path);
  if (key === undefined) throw new HearthError('bad_key', `the key ${path} went away right after it was made`);
  return key;
}

/** Undefined when there is none. */
async function readKey(path: string): Promise<PrivateKey | undefined> {
  try {
    const file = await open(path, 'r');
    try {
      const info = await file.stat();
      if (!info.isFile()) throw new HearthError('bad_key', 'it is not a file');
      const bytes = Buffer.alloc(maxKeyText + 1);
      const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
      return parsePrivateKey(bytes.toString('utf8', 0, bytesRead));
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new HearthError('bad_key', `the key ${path} cannot be used: ${messageOf(error)}`, { cause: error });
  }
}

async function createKey(folder: string, path: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(formatPrivateKey(generatePrivateKey(comment)));
      await file.sync();
    } finally {
      await file.close();
    }
    await giveName(temporary, path);
    await syncFolder(folder);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** The first one wins: a link, unlike a renaming, does not replace what is there. */
async function giveName(temporary: string, path: string): Promise<void> {
  try {
    await link(temporary, path);
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return;
    // Some disks have no links; on those, of two at once the last one wins.
    await rename(temporary, path);
  }
}

async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
