// The store: models on disk. Even after a crash and with concurrent requests, every named blob is complete and every
// manifest finds its blobs: blobs are written before the manifest that refers to them, and removed after it.

import { readFile, rm, statfs } from 'node:fs/promises';
import type { Digest } from '../../base/digest.ts';
import { countBytes } from '../../base/files/byte-ranges.ts';
import { makeFolder } from '../../base/files/make-folder.ts';
import { undefinedIfMissing } from '../../base/files/undefined-if-missing.ts';
import { readBootId } from '../../base/process/process-identity.ts';
import { type Clock, systemClock } from '../../base/time/clock.ts';
import type { ModelName } from '../name.ts';
import { createBlobGuard } from './blobs/blob-guard.ts';
import { createBlobs } from './blobs/blobs.ts';
import { openPartial, type PartialBlob, readPartial } from './blobs/partial-blob.ts';
import { createConcurrencyLimit } from './files/concurrency-limit.ts';
import { withDiskErrors } from './files/disk-errors.ts';
import { syncFolder, writeDurably } from './files/durable-file.ts';
import { createStoreLayout } from './files/layout.ts';
import { createGarbage, type GarbageReport, uploadGrace } from './garbage.ts';
import { decodeManifest, digestsOf, encodeManifest, type Manifest } from './manifests/manifest.ts';
import { createManifests, type StoredModel } from './manifests/manifests.ts';
import { openPackageFolder } from './package-folders.ts';

export type { PartialBlob } from './blobs/partial-blob.ts';
export type { StoredModel } from './manifests/manifests.ts';

export function createStore(root: string, { clock = systemClock }: { readonly clock?: Clock } = {}) {
  const layout = createStoreLayout(root);
  // Manifests change one at a time, and never while garbage collection computes which blobs are in use.
  const limit = createConcurrencyLimit(1);
  const exclusive = <T>(work: () => Promise<T>): Promise<T> => limit(() => withDiskErrors(root, work));
  const guard = createBlobGuard({
    clock,
    onReleased: (digests) => void exclusive(() => garbage.removeUnused(digests)).catch(() => {}),
  });
  const blobs = createBlobs(layout, guard);
  const manifests = createManifests(layout, clock);
  const garbage = createGarbage({ layout, manifests, blobs, guard, clock });

  const put = async (name: ModelName, bytes: Uint8Array): Promise<StoredModel> => {
    const digests = digestsOf(decodeManifest(Buffer.from(bytes)));
    const release = guard.hold(digests);
    try {
      for (const digest of digests) await blobs.locate(digest);
      // Another request may have renamed a blob into place without flushing the folder yet.
      await syncFolder(layout.blobs);
      const stored = await manifests.write((await manifests.canonicalize(name)).name, bytes);
      guard.clearReservations(digests);
      return stored;
    } finally {
      release();
    }
  };

  const copy = async (from: ModelName, to: ModelName): Promise<boolean> => {
    const source = await manifests.find(from);
    if (source === undefined) return false;
    const target = (await manifests.canonicalize(to)).name;
    if (layout.manifest(source.name) === layout.manifest(target)) return true;
    const replaced = await manifests.find(target).catch(() => undefined);
    await put(target, await manifests.readBytes(source.name));
    if (replaced !== undefined) await garbage.removeUnused(digestsOf(replaced.manifest));
    return true;
  };

  const remove = async (requested: ModelName): Promise<boolean> => {
    const { name, exists } = await manifests.canonicalize(requested);
    if (!exists) return false;
    // An unreadable manifest can still be removed; garbage collection removes its blobs later.
    const model = await manifests.find(name).catch(() => undefined);
    await manifests.remove(name);
    if (model !== undefined) await garbage.removeUnused(digestsOf(model.manifest));
    return true;
  };

  return {
    /** All models whose manifests can be read. */
    list: async (): Promise<StoredModel[]> => [...(await manifests.readAll()).models],
    /** Undefined if there is no such model. Names are case-insensitive. */
    find: manifests.find,
    /** The stored bytes, which the model's digest covers. Undefined if there is no such model. */
    async readManifest(name: ModelName): Promise<Buffer | undefined> {
      const { name: storedName, exists } = await manifests.canonicalize(name);
      return exists ? undefinedIfMissing(manifests.readBytes(storedName)) : undefined;
    },
    /** The path of the blob, whether it exists or not. */
    blobPath: layout.blob,
    /** The path of an existing blob; throws `store_damaged` if it is missing. Hold the blob first to keep it. */
    locateBlob: blobs.locate,
    /** An existing blob is reserved for the caller for an hour. */
    hasBlob: blobs.has,
    readBlob: blobs.read,
    putBlob: blobs.put,
    /** Any size. The source is not read if the expected blob exists. */
    writeBlob: blobs.write,
    /** Adds a copy of the file, a reflink where possible; throws `store_damaged` if its digest is a different one. */
    adoptBlob: blobs.adopt,
    /** Adds a file whose content never changes: a reflink or a hard link where possible. The source may be removed later. */
    linkBlob: blobs.link,
    /** Adds the file that `write` creates at the given path; nothing remains if it fails. */
    makeBlob: blobs.make,
    /** Makes a file next to a blob, unless it exists. It is removed with the blob. */
    deriveFile: blobs.derive,
    /** Opens an incomplete download, at most once at a time. The blob must not exist yet. */
    openPartial: (digest: Digest, size: number): Promise<PartialBlob> =>
      withDiskErrors(layout.blobs, () => openPartial({ layout, digest, size, clock })),
    /** Number of bytes of an incomplete download. */
    partialBytes: async (digest: Digest, size: number): Promise<number> =>
      countBytes(await readPartial(layout, digest, { size, boot: readBootId() })),
    /** A folder for the download of a package. It stays for a week after its last use, so that a pull can be continued. */
    openPackageFolder: (key: Digest): Promise<string> =>
      withDiskErrors(root, () => openPackageFolder(layout, key, clock)),
    removePackageFolder: (key: Digest): Promise<void> => rm(layout.package(key), { recursive: true, force: true }),
    /** Free space on the disk of the store; undefined if unknown. */
    freeBytes: (): Promise<number | undefined> => withDiskErrors(root, () => readFreeBytes(root)),
    /** Protects the blobs from removal until released. For running requests and loaded models. */
    holdBlobs: guard.hold,
    /**
     * Bytes are stored unchanged. A name that differs from an existing one only in case replaces it and keeps its
     * spelling. Throws `store_damaged` if a blob is missing.
     */
    putManifest: (name: ModelName, manifest: Manifest | Uint8Array): Promise<StoredModel> =>
      exclusive(() => put(name, manifest instanceof Uint8Array ? manifest : encodeManifest(manifest))),
    /** Stores the same bytes under another name; false if there is no such model. */
    copyModel: (from: ModelName, to: ModelName): Promise<boolean> => exclusive(() => copy(from, to)),
    /** Also removes blobs that no other model uses; false if there is no such model. */
    removeModel: (name: ModelName): Promise<boolean> => exclusive(() => remove(name)),
    /** Removes those that no model uses, and returns them. For the blobs of a replaced manifest. */
    removeUnusedBlobs: (digests: Iterable<Digest>): Promise<Digest[]> => exclusive(() => garbage.removeUnused(digests)),
    /** Removes blobs that the caller has written, unless a model uses them, and returns them. They are not reserved any more. */
    discardBlobs: (digests: Iterable<Digest>): Promise<Digest[]> =>
      exclusive(async () => {
        const unneeded = [...digests];
        guard.clearReservations(unneeded);
        return garbage.removeUnused(unneeded);
      }),
    /** Even if models refer to it: a blob with the wrong content is useless. */
    removeDamagedBlob: (digest: Digest): Promise<void> => exclusive(() => blobs.remove(digest)),
    /** Removes everything that no model uses, unless it is held or younger than the grace period (default: one hour). */
    collectGarbage: ({ graceMs = uploadGrace }: { readonly graceMs?: number } = {}): Promise<GarbageReport> =>
      exclusive(() => garbage.collect(graceMs)),
    /** Removes leftovers of killed processes. Call at startup with the store locked. */
    recover: (): Promise<void> => exclusive(() => garbage.recover()),
    /** Small files that Hearth keeps next to the models. */
    readNote: async (name: string): Promise<string | undefined> =>
      (await undefinedIfMissing(readFile(layout.note(name))))?.toString('utf8'),
    writeNote: (name: string, text: string): Promise<void> => writeDurably(layout.note(name), Buffer.from(text)),
  };
}

export type Store = ReturnType<typeof createStore>;

async function readFreeBytes(folder: string): Promise<number | undefined> {
  await makeFolder(folder);
  const { bavail, bsize, blocks } = await statfs(folder);
  // Some network file systems report zeros.
  return blocks === 0 ? undefined : bavail * bsize;
}
