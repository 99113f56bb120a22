// The signing key of this installation, created on first use. Concurrent processes end up with the same key, and the
// key file is never incomplete.

import { randomBytes } from 'node:crypto';
import { link, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { HearthError, messageOf, systemCodeOf } from '../../base/errors.ts';
import { makeFolder } from '../../base/files/make-folder.ts';
import { formatPrivateKey, generatePrivateKey, maxKeyText, type PrivateKey, parsePrivateKey } from './private-key.ts';

interface KeyFolders {
  /** Where the key is stored and created. */
  readonly folder: string;
  /** Where Ollama may have a key that is already registered; read-only. */
  readonly fallbackFolder?: string;
}

export const keyFileName = 'id_ed25519';
const comment = 'hearth';

/** Throws `bad_key` for an unusable key file; creating a second key would be confusing. */
export async function loadOrCreateKey({ folder, fallbackFolder }: KeyFolders): Promise<PrivateKey> {
  const path = join(folder, keyFileName);
  const found =
    (await readKey(path)) ??
    (fallbackFolder === undefined ? undefined : await readKey(join(fallbackFolder, keyFileName)));
  if (found !== undefined) return found;
  try {
    await createKey(folder, path);
  } catch (error) {
    const message = `cannot create a key in ${folder}: ${reasonOf(error)}. Make the folder writable and try again.`;
    throw new HearthError('bad_key', message, { cause: error });
  }
  // Another process may have created it first.
  const key = await readKey(path);
  if (key === undefined) throw new HearthError('bad_key', `the key ${path} was removed right after it was created`);
  return key;
}

const reasons: Readonly<Record<string, string>> = {
  EROFS: 'the disk is read-only',
  EACCES: 'no permission',
  EPERM: 'no permission',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is exceeded',
  ENOENT: 'the folder cannot be created',
  ENOTDIR: 'its parent is not a folder',
  EEXIST: 'it is not a folder',
};

function reasonOf(error: unknown): string {
  return reasons[systemCodeOf(error) ?? ''] ?? messageOf(error);
}

/** Undefined if there is none. */
async function readKey(path: string): Promise<PrivateKey | undefined> {
  try {
    const file = await open(path, 'r');
    try {
      const info = await file.stat();
      if (!info.isFile()) throw new HearthError('bad_key', 'not a regular file');
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
  await makeFolder(folder, { mode: 0o700 });
  const temporary = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(formatPrivateKey(generatePrivateKey(comment)));
      await file.sync();
    } finally {
      await file.close();
    }
    await linkOrRename(temporary, path);
    await syncFolder(folder);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** The first process wins: unlike a rename, a link does not replace an existing file. */
async function linkOrRename(temporary: string, path: string): Promise<void> {
  try {
    await link(temporary, path);
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return;
    // On file systems without hard links, the last of two concurrent processes wins.
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
