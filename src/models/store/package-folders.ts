// Folders for downloads of packages. A folder stays after a failure or a crash, so that a pull can be continued.

import { readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Digest } from '../../base/digest.ts';
import { undefinedIfMissing } from '../../base/files/undefined-if-missing.ts';
import type { Clock } from '../../base/time/clock.ts';
import { makeDurableFolder } from './files/durable-file.ts';
import type { StoreLayout } from './files/layout.ts';

export async function openPackageFolder(layout: StoreLayout, key: Digest, clock: Clock): Promise<string> {
  const folder = layout.package(key);
  await makeDurableFolder(folder);
  const seconds = clock.now() / 1000;
  await utimes(folder, seconds, seconds);
  return folder;
}

/** Removes those that were last used before the given time, in milliseconds since the epoch. */
export async function removeOldPackageFolders(layout: StoreLayout, before: number): Promise<void> {
  for (const name of (await undefinedIfMissing(readdir(layout.packages))) ?? []) {
    if (!/^[0-9a-f]{64}$/.test(name)) continue;
    const folder = join(layout.packages, name);
    const info = await undefinedIfMissing(stat(folder));
    if (info !== undefined && info.mtimeMs < before) await rm(folder, { recursive: true, force: true });
  }
}
