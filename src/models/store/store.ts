// The store: models on disk. Even after a crash and with concurrent requests, every named blob is complete and every
// manifest finds its blobs: blobs are written before the manifest that refers to them, and removed after it.

import { readFile, rm, statfs } from 'node:fs/promises';
import type { Digest } from '../../base/digest.ts';
import { countBytes } from '../../base/files/byte-ranges.ts';
import { makeFolder } from '../../base/files/make-folder.ts';
import { type Clock, systemClock } from '../../base/time/clock.ts';
import type { ModelName } from '../name.ts';
import { createBlobGuard } from './blobs/blob-guard.ts';
import { createBlobs, type WriteBlobOptions } from './blobs/blobs.ts';
import { openPartial, type PartialBlob, readPartial } from './blobs/partial-blob.ts';
import { createConcurrencyLimit } from './files/concurrency-limit.ts';
import { withDiskErrors } from './files/disk-errors.ts';
import { syncFolder, writeDurably } from './files/durable-file.ts';
import { createStoreLayout } from './files/layout.ts';
import { readBootId } from './files/process-identity.ts';
import { undefinedIfMissing } from './files/undefined-if-missing.ts';
import { createGarbage, type GarbageReport, uploadGrace } from './garbage.ts';
import { decodeManifest, digestsOf, encodeManifest, type Manifest, type ManifestLayer } from './manifests/manifest.ts';
import { createManifests, type StoredModel } from './manifests/manifests.ts';
import { openPackageFolder } from './package-folders.ts';

export type { PartialBlob } from './blobs/partial-blob.ts';
export type { StoredModel } from './manifests/manifests.ts';

export interface Store {
  /** All models whose manifests can be read. */
  list(): Promise<StoredModel[]>;
  /** Undefined if there is no such model. Names are case-insensitive. */
  find(name: ModelName): Promise<StoredModel | undefined>;
  /** The stored bytes, which the model's digest covers. Undefined if there is no such model. */
  readManifest(name: ModelName): Promise<Buffer | undefined>;
  /** The path of the blob, whether it exists or not. */
  blobPath(digest: Digest): string;
  /** The path of an existing blob; throws `store_damaged` if it is missing. Hold the blob first to keep it. */
  locateBlob(digest: Digest): Promise<string>;
  /** An existing blob is reserved for the caller for an hour. */
  hasBlob(digest: Digest): Promise<boolean>;
  readBlob(layer: ManifestLayer): Promise<Buffer>;
  putBlob(content: Uint8Array, mediaType: string): Promise<ManifestLayer>;
  /** Any size. The source is not read if the expected blob exists. */
  writeBlob(source: AsyncIterable<Uint8Array>, options: WriteBlobOptions): Promise<ManifestLayer>;
  /** Adds a copy of the file, a reflink where possible; throws `store_damaged` if its digest is a different one. */
  adoptBlob(path: string, digest: Digest, mediaType: string): Promise<ManifestLayer>;
  /** Adds the file that `write` creates at the given path; nothing remains if it fails. */
  makeBlob(write: (path: string) => Promise<void>, mediaType: string): Promise<ManifestLayer>;
  /** Opens an incomplete download, at most once at a time. The blob must not exist yet. */
  openPartial(digest: Digest, size: number): Promise<PartialBlob>;
  /** Number of bytes of an incomplete download. */
  partialBytes(digest: Digest, size: number): Promise<number>;
  /** A folder for the download of a package. It stays for a week after its last use, so that a pull can be continued. */
  openPackageFolder(key: Digest): Promise<string>;
  removePackageFolder(key: Digest): Promise<void>;
  /** Free space on the disk of the store; undefined if unknown. */
  freeBytes(): Promise<number | undefined>;
  /** Protects the blobs from removal until released. For running requests and loaded models. */
  holdBlobs(digests: Iterable<Digest>): () => void;
  /**
   * Bytes are stored unchanged. A name that differs from an existing one only in case replaces it and keeps its
   * spelling. Throws `store_damaged` if a blob is missing.
   */
  putManifest(name: ModelName, manifest: Manifest | Uint8Array): Promise<StoredModel>;
  /** Stores the same bytes under another name; false if there is no such model. */
  copyModel(from: ModelName, to: ModelName): Promise<boolean>;
  /** Also removes blobs that no other model uses; false if there is no such model. */
  removeModel(name: ModelName): Promise<boolean>;
  /** Removes those that no model uses, and returns them. For the blobs of a replaced manifest. */
  removeUnusedBlobs(digests: Iterable<Digest>): Promise<Digest[]>;
  /** Removes blobs that the caller has written, unless a model uses them, and returns them. They are not reserved any more. */
  discardBlobs(digests: Iterable<Digest>): Promise<Digest[]>;
  /** Even if models refer to it: a blob with the wrong content is useless. */
  removeDamagedBlob(digest: Digest): Promise<void>;
  /** Removes everything that no model uses, unless it is held or younger than the grace period (default: one hour). */
  collectGarbage(options?: { readonly graceMs?: number }): Promise<GarbageReport>;
  /** Removes leftovers of killed processes. Call at startup with the store locked. */
  recover(): Promise<void>;
  /** Small files that Hearth keeps next to the models. */
  readNote(name: string): Promise<string | undefined>;
  writeNote(name: string, text: string): Promise<void>;
}

export function createStore(root: string, { clock = systemClock }: { readonly clock?: Clock } = {}): Store {
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
    list: async () => [...(await manifests.readAll()).models],
    find: manifests.find,
    async readManifest(name) {
      const { name: storedName, exists } = await manifests.canonicalize(name);
      return exists ? undefinedIfMissing(manifests.readBytes(storedName)) : undefined;
    },
    blobPath: layout.blob,
    locateBlob: blobs.locate,
    hasBlob: blobs.has,
    readBlob: blobs.read,
    putBlob: blobs.put,
    writeBlob: blobs.write,
    adoptBlob: blobs.adopt,
    makeBlob: blobs.make,
    openPartial: (digest, size) => withDiskErrors(layout.blobs, () => openPartial({ layout, digest, size, clock })),
    partialBytes: async (digest, size) => countBytes(await readPartial(layout, digest, { size, boot: readBootId() })),
    openPackageFolder: (key) => withDiskErrors(root, () => openPackageFolder(layout, key, clock)),
    removePackageFolder: (key) => rm(layout.package(key), { recursive: true, force: true }),
    freeBytes: () => withDiskErrors(root, () => readFreeBytes(root)),
    holdBlobs: guard.hold,
    putManifest: (name, manifest) =>
      exclusive(() => put(name, manifest instanceof Uint8Array ? manifest : encodeManifest(manifest))),
    copyModel: (from, to) => exclusive(() => copy(from, to)),
    removeModel: (name) => exclusive(() => remove(name)),
    removeUnusedBlobs: (digests) => exclusive(() => garbage.removeUnused(digests)),
    discardBlobs: (digests) =>
      exclusive(async () => {
        const unneeded = [...digests];
        guard.clearReservations(unneeded);
        return garbage.removeUnused(unneeded);
      }),
    removeDamagedBlob: (digest) => exclusive(() => blobs.remove(digest)),
    collectGarbage: ({ graceMs = uploadGrace } = {}) => exclusive(() => garbage.collect(graceMs)),
    recover: () => exclusive(() => garbage.recover()),
    readNote: async (name) => (await undefinedIfMissing(readFile(layout.note(name))))?.toString('utf8'),
    writeNote: (name, text) => writeDurably(layout.note(name), Buffer.from(text)),
  };
}

export async function readFreeBytes(folder: string): Promise<number | undefined> {
  await makeFolder(folder);
  const { bavail, bsize, blocks } = await statfs(folder);
  // Some network file systems report zeros.
  return blocks === 0 ? undefined : bavail * bsize;
}
