// Removes unused files. Reads all manifests first: a blob that a manifest refers to stays. While any manifest cannot
// be read, all blobs stay. Must not run while manifests change.

import type { Stats } from 'node:fs';
import { lstat, readdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Digest } from '../../base/digest.ts';
import { undefinedIfMissing } from '../../base/files/undefined-if-missing.ts';
import type { Clock } from '../../base/time/clock.ts';
import { derivedParts, derivedPath } from '../derived-file.ts';
import type { BlobGuard } from './blobs/blob-guard.ts';
import type { Blobs } from './blobs/blobs.ts';
import { type BlobFile, parseBlobFile, type StoreLayout } from './files/layout.ts';
import { isAbandoned, isTemporaryName } from './files/temporary-file.ts';
import { digestsOf } from './manifests/manifest.ts';
import type { Inventory, Manifests, UnreadableManifest } from './manifests/manifests.ts';
import { removeOldPackageFolders } from './package-folders.ts';

/** How long a blob may wait for the manifest that refers to it. */
export const uploadGrace = 60 * 60 * 1000;
/** How long a download may wait to be resumed. */
const partialGrace = 7 * 24 * 60 * 60 * 1000;

export interface GarbageReport {
  readonly removed: readonly Digest[];
  /** Total size of the removed files. */
  readonly bytes: number;
  /** If there are any, no blob was removed. */
  readonly unreadable: readonly UnreadableManifest[];
}

interface GarbageDependencies {
  readonly layout: StoreLayout;
  readonly manifests: Manifests;
  readonly blobs: Blobs;
  readonly guard: BlobGuard;
  readonly clock: Clock;
}

export function createGarbage({ layout, manifests, blobs, guard, clock }: GarbageDependencies) {
  const removeIfAbandoned = async (path: string): Promise<number> => {
    const info = await undefinedIfMissing(lstat(path));
    if (!info?.isFile()) return 0;
    const age = clock.now() - info.mtimeMs;
    if (!isAbandoned({ name: basename(path), age, maxAge: uploadGrace })) return 0;
    await rm(path, { force: true });
    return info.size;
  };

  const removeTemporaries = async (inManifests: readonly string[]): Promise<number> => {
    const paths = [...inManifests];
    for (const folder of [layout.root, layout.blobs]) {
      const names = (await undefinedIfMissing(readdir(folder))) ?? [];
      paths.push(...names.filter(isTemporaryName).map((name) => join(folder, name)));
    }
    let bytes = 0;
    for (const path of paths) bytes += await removeIfAbandoned(path);
    return bytes;
  };

  /** Derived files of earlier versions are made in another way now. */
  const isNeeded = (path: string, digest: Digest, used: Set<Digest>): boolean =>
    used.has(digest) && derivedParts.some((part) => derivedPath(layout.blob(digest), part) === path);

  const isUnneeded = (
    { file, path, info }: { readonly file: BlobFile; readonly path: string; readonly info: Stats },
    used: Set<Digest>,
    graceMs: number,
  ): boolean => {
    const isOld = (grace: number): boolean => isOlder(info, clock, grace);
    switch (file.kind) {
      case 'blob':
        return !used.has(file.digest) && isOld(graceMs) && !guard.isProtected(file.digest, graceMs);
      case 'derived':
        return !isNeeded(path, file.digest, used) && !guard.isProtected(file.digest, graceMs);
      case 'partial':
        return isOld(Math.max(graceMs, partialGrace)) && !guard.isProtected(file.digest, graceMs);
      case 'foreign temporary':
        return isOld(Math.max(graceMs, uploadGrace));
      default:
        return false;
    }
  };

  /** Number of bytes freed; undefined if the file stays. */
  const removeBlobFile = async (name: string, used: Set<Digest>, graceMs: number): Promise<number | undefined> => {
    const file = parseBlobFile(name);
    const path = join(layout.blobs, name);
    const info = await undefinedIfMissing(lstat(path));
    if (!info?.isFile() || !isUnneeded({ file, path, info }, used, graceMs)) return undefined;
    if (file.kind === 'blob') await blobs.remove(file.digest);
    else await rm(path, { force: true });
    return info.size;
  };

  return {
    /** Removes those of the blobs that are not in use, and returns their digests. */
    async removeUnused(digests: Iterable<Digest>): Promise<Digest[]> {
      const inventory = await manifests.readAll();
      if (inventory.unreadable.length > 0) return [];
      const used = digestsInUse(inventory);
      const removed: Digest[] = [];
      for (const digest of new Set(digests)) {
        if (used.has(digest) || guard.isProtected(digest, uploadGrace)) continue;
        await blobs.remove(digest);
        removed.push(digest);
      }
      return removed;
    },
    async collect(graceMs: number): Promise<GarbageReport> {
      const inventory = await manifests.readAll();
      const { unreadable, temporaries } = inventory;
      let bytes = await removeTemporaries(temporaries);
      await removeOldPackageFolders(layout, clock.now() - partialGrace);
      if (unreadable.length > 0) return { removed: [], bytes, unreadable };
      const used = digestsInUse(inventory);
      const removed: Digest[] = [];
      for (const name of (await undefinedIfMissing(readdir(layout.blobs))) ?? []) {
        const freed = await removeBlobFile(name, used, graceMs);
        if (freed === undefined) continue;
        bytes += freed;
        const file = parseBlobFile(name);
        if (file.kind === 'blob') removed.push(file.digest);
      }
      return { removed, bytes, unreadable };
    },
    /** Removes temporary files of killed processes and renames blobs that have an old form of name. */
    async recover(): Promise<void> {
      await removeTemporaries((await manifests.readAll()).temporaries);
      for (const name of (await undefinedIfMissing(readdir(layout.blobs))) ?? []) {
        const file = parseBlobFile(name);
        if (file.kind === 'legacy') await renameLegacy(join(layout.blobs, name), layout.blob(file.digest));
      }
    },
  };
}

function digestsInUse({ models }: Inventory): Set<Digest> {
  return new Set(models.flatMap(({ manifest }) => digestsOf(manifest)));
}

function isOlder({ mtimeMs }: Stats, clock: Clock, grace: number): boolean {
  return clock.now() - mtimeMs >= grace;
}

async function renameLegacy(path: string, target: string): Promise<void> {
  if ((await undefinedIfMissing(lstat(target))) === undefined) await rename(path, target);
  else await rm(path, { force: true });
}
