// Removes what nobody needs. Reads the manifests first: a blob that one of them refers to stays, and as long as one
// cannot be read, all of them stay. Must not run at the same time as a change of manifests.

import type { Stats } from 'node:fs';
import { lstat, readdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Digest } from '../../base/digest.ts';
import type { Clock } from '../../base/time/clock.ts';
import type { BlobGuard } from './blobs/blob-guard.ts';
import type { Blobs } from './blobs/blobs.ts';
import { orMissing } from './files/or-missing.ts';
import { isAbandoned, isTemporaryName } from './files/temporary-file.ts';
import { type Layout, parseBlobFile } from './layout.ts';
import { digestsOf } from './manifests/manifest.ts';
import type { Inventory, Manifests, UnreadableManifest } from './manifests/manifests.ts';

/** How long a blob may wait for the model that it was sent for. */
export const uploadGrace = 60 * 60 * 1000;
/** How long a download may wait to be resumed. */
const partialGrace = 7 * 24 * 60 * 60 * 1000;

export interface GarbageReport {
  readonly removed: readonly Digest[];
  /** Of all files that were removed. */
  readonly bytes: number;
  /** Where there are any, no blob was removed. */
  readonly unreadable: readonly UnreadableManifest[];
}

export interface GarbageDependencies {
  readonly layout: Layout;
  readonly manifests: Manifests;
  readonly blobs: Blobs;
  readonly guard: BlobGuard;
  readonly clock: Clock;
}

export interface Garbage {
  /** Those of the digests that nobody needs any more. Returns the ones that went. */
  removeUnused(digests: Iterable<Digest>): Promise<Digest[]>;
  collect(graceMs: number): Promise<GarbageReport>;
  /** What a killed process left behind, and names of blobs that are no longer in use. */
  recover(): Promise<void>;
}

export function createGarbage({ layout, manifests, blobs, guard, clock }: GarbageDependencies): Garbage {
  const removeIfAbandoned = async (path: string): Promise<number> => {
    const info = await orMissing(lstat(path));
    if (!info?.isFile()) return 0;
    const age = clock.now() - info.mtimeMs;
    if (!isAbandoned({ name: basename(path), age, oldest: uploadGrace })) return 0;
    await rm(path, { force: true });
    return info.size;
  };

  const removeTemporaries = async (inManifests: readonly string[]): Promise<number> => {
    const paths = [...inManifests];
    for (const folder of [layout.root, layout.blobs]) {
      const names = (await orMissing(readdir(folder))) ?? [];
      paths.push(...names.filter(isTemporaryName).map((name) => join(folder, name)));
    }
    let bytes = 0;
    for (const path of paths) bytes += await removeIfAbandoned(path);
    return bytes;
  };

  /** Bytes that were freed; undefined when the file stays. */
  const removeBlobFile = async (name: string, used: Set<Digest>, graceMs: number): Promise<number | undefined> => {
    const file = parseBlobFile(name);
    const path = join(layout.blobs, name);
    const info = await orMissing(lstat(path));
    if (!info?.isFile()) return undefined;
    const old = (grace: number): boolean => isOlder(info, clock, grace);
    switch (file.kind) {
      case 'blob':
        if (used.has(file.digest) || !old(graceMs) || guard.spares(file.digest, graceMs)) return undefined;
        await blobs.remove(file.digest);
        return info.size;
      case 'partial':
        if (!old(Math.max(graceMs, partialGrace)) || guard.spares(file.digest, graceMs)) return undefined;
        break;
      case 'foreign temporary':
        if (!old(Math.max(graceMs, uploadGrace))) return undefined;
        break;
      default:
        return undefined;
    }
    await rm(path, { force: true });
    return info.size;
  };

  return {
    async removeUnused(digests) {
      const inventory = await manifests.readAll();
      if (inventory.unreadable.length > 0) return [];
      const used = digestsInUse(inventory);
      const gone: Digest[] = [];
      for (const digest of new Set(digests)) {
        if (used.has(digest) || guard.spares(digest, uploadGrace)) continue;
        await blobs.remove(digest);
        gone.push(digest);
      }
      return gone;
    },
    async collect(graceMs) {
      const inventory = await manifests.readAll();
      const { unreadable, temporaries } = inventory;
      let bytes = await removeTemporaries(temporaries);
      if (unreadable.length > 0) return { removed: [], bytes, unreadable };
      const used = digestsInUse(inventory);
      const removed: Digest[] = [];
      for (const name of (await orMissing(readdir(layout.blobs))) ?? []) {
        const freed = await removeBlobFile(name, used, graceMs);
        if (freed === undefined) continue;
        bytes += freed;
        const file = parseBlobFile(name);
        if (file.kind === 'blob') removed.push(file.digest);
      }
      return { removed, bytes, unreadable };
    },
    async recover() {
      await removeTemporaries((await manifests.readAll()).temporaries);
      for (const name of (await orMissing(readdir(layout.blobs))) ?? []) {
        const file = parseBlobFile(name);
        if (file.kind === 'legacy') await renameLegacy(join(layout.blobs, name), layout.blob(file.digest));
      }
    },
  };
}

export function digestsInUse({ models }: Inventory): Set<Digest> {
  return new Set(models.flatMap(({ manifest }) => digestsOf(manifest)));
}

function isOlder({ mtimeMs }: Stats, clock: Clock, grace: number): boolean {
  return clock.now() - mtimeMs >= grace;
}

async function renameLegacy(path: string, target: string): Promise<void> {
  if ((await orMissing(lstat(target))) === undefined) await rename(path, target);
  else await rm(path, { force: true });
}
