// The store: models on disk. However the process ends, and whatever runs at the same time, a blob that has its name is
// complete, and a manifest that is there finds its blobs: blobs are written before the manifest that refers to them,
// and removed after it.

import { readFile } from 'node:fs/promises';
import { countBytes } from '../../base/byte-ranges.ts';
import type { Digest } from '../../base/digest.ts';
import { type Clock, systemClock } from '../../base/time/clock.ts';
import type { ModelName } from '../name.ts';
import { createBlobGuard } from './blobs/blob-guard.ts';
import { createBlobs, type WriteBlobOptions } from './blobs/blobs.ts';
import { openPartial, type PartialBlob, readPartial } from './blobs/partial-blob.ts';
import { readBootId } from './files/boot-id.ts';
import { syncFolder, writeDurably } from './files/durable-file.ts';
import { readFreeBytes } from './files/free-space.ts';
import { orMissing } from './files/or-missing.ts';
import { createGarbage, type GarbageReport, uploadGrace } from './garbage.ts';
import { createGate } from './gate.ts';
import { createLayout } from './layout.ts';
import { decodeManifest, digestsOf, encodeManifest, type Layer, type Manifest } from './manifests/manifest.ts';
import { createManifests, type StoredModel } from './manifests/manifests.ts';

export type { PartialBlob } from './blobs/partial-blob.ts';
export type { StoredModel } from './manifests/manifests.ts';

export interface Store {
  /** All models whose manifests can be read. */
  list(): Promise<StoredModel[]>;
  /** Undefined when there is no such model. Case does not matter. */
  find(name: ModelName): Promise<StoredModel | undefined>;
  /** The manifest's bytes as they are stored, which are what its digest is of. Undefined when there is no such model. */
  readManifest(name: ModelName): Promise<Buffer | undefined>;
  /** Where the blob is, or would be. */
  blobPath(digest: Digest): string;
  /** Where the blob is; throws `store_damaged` when it is not there. Hold it first, and it stays. */
  locateBlob(digest: Digest): Promise<string>;
  /** Whoever hears that it is there can rely on it for an hour. */
  hasBlob(digest: Digest): Promise<boolean>;
  readBlob(layer: Layer): Promise<Buffer>;
  putBlob(content: Uint8Array, mediaType: string): Promise<Layer>;
  /** Any size. The source is not read when the expected blob is there already. */
  writeBlob(source: AsyncIterable<Uint8Array>, options: WriteBlobOptions): Promise<Layer>;
  /** Takes over a file whose digest is known and which never changes; throws `store_damaged` when it has another. */
  adoptBlob(path: string, digest: Digest, mediaType: string): Promise<Layer>;
  /** A blob that `write` makes at a path of its own; where it fails, nothing is left. */
  makeBlob(write: (path: string) => Promise<void>, mediaType: string): Promise<Layer>;
  /** A download, with what is there of it; one at a time may have it open. The blob of that digest must not be there. */
  openPartial(digest: Digest, size: number): Promise<PartialBlob>;
  /** How much of a download is there already. */
  partialBytes(digest: Digest, size: number): Promise<number>;
  /** Room on the disk of the store; undefined where the disk does not say. */
  freeBytes(): Promise<number | undefined>;
  /** Until the release, nothing removes them. For running work and loaded models. */
  holdBlobs(digests: Iterable<Digest>): () => void;
  /**
   * Bytes are stored as they are. A name that differs from an existing one only in case is that one; the result says
   * which. Throws `store_damaged` when a blob is missing.
   */
  putManifest(name: ModelName, manifest: Manifest | Uint8Array): Promise<StoredModel>;
  /** The same bytes under another name; false when there is no such model. */
  copyModel(from: ModelName, to: ModelName): Promise<boolean>;
  /** With all blobs that no other model needs; false when there is no such model. */
  removeModel(name: ModelName): Promise<boolean>;
  /** Removes those that no model needs, and returns them: for what a replaced manifest referred to. */
  removeUnusedBlobs(digests: Iterable<Digest>): Promise<Digest[]>;
  /** Whoever refers to it: one whose content is not what its name says is of no use to anyone. */
  removeDamagedBlob(digest: Digest): Promise<void>;
  /** Everything that no model needs, unless it is held or younger than the grace, one hour if nothing is said. */
  collectGarbage(options?: { readonly graceMs?: number }): Promise<GarbageReport>;
  /** At start, with the store locked: clears away what a killed process left behind. */
  recover(): Promise<void>;
  /** Small notes that Hearth keeps beside the models. */
  readNote(name: string): Promise<string | undefined>;
  writeNote(name: string, text: string): Promise<void>;
}

export function createStore(root: string, { clock = systemClock }: { readonly clock?: Clock } = {}): Store {
  const layout = createLayout(root);
  // Manifests change one at a time, and never while somebody counts who refers to what.
  const exclusive = createGate(1);
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
      // They may have got their names a moment ago, by somebody who is not done yet.
      await syncFolder(layout.blobs);
      const stored = await manifests.write((await manifests.spell(name)).name, bytes);
      guard.fulfil(digests);
      return stored;
    } finally {
      release();
    }
  };

  const copy = async (from: ModelName, to: ModelName): Promise<boolean> => {
    const source = await manifests.find(from);
    if (source === undefined) return false;
    const target = (await manifests.spell(to)).name;
    if (layout.manifest(source.name) === layout.manifest(target)) return true;
    const replaced = await manifests.find(target).catch(() => undefined);
    await put(target, await manifests.readBytes(source.name));
    if (replaced !== undefined) await garbage.removeUnused(digestsOf(replaced.manifest));
    return true;
  };

  const remove = async (requested: ModelName): Promise<boolean> => {
    const { name, exists } = await manifests.spell(requested);
    if (!exists) return false;
    // One that cannot be read can still be removed; its blobs are left to the collection of garbage.
    const model = await manifests.find(name).catch(() => undefined);
    await manifests.remove(name);
    if (model !== undefined) await garbage.removeUnused(digestsOf(model.manifest));
    return true;
  };

  return {
    list: async () => [...(await manifests.readAll()).models],
    find: manifests.find,
    async readManifest(name) {
      const { name: spelled, exists } = await manifests.spell(name);
      return exists ? orMissing(manifests.readBytes(spelled)) : undefined;
    },
    blobPath: layout.blob,
    locateBlob: blobs.locate,
    hasBlob: blobs.has,
    readBlob: blobs.read,
    putBlob: blobs.put,
    writeBlob: blobs.write,
    adoptBlob: blobs.adopt,
    makeBlob: blobs.make,
    openPartial: (digest, size) => openPartial({ layout, digest, size, clock }),
    partialBytes: async (digest, size) => countBytes(await readPartial(layout, digest, { size, boot: readBootId() })),
    freeBytes: () => readFreeBytes(root),
    holdBlobs: guard.hold,
    putManifest: (name, manifest) =>
      exclusive(() => put(name, manifest instanceof Uint8Array ? manifest : encodeManifest(manifest))),
    copyModel: (from, to) => exclusive(() => copy(from, to)),
    removeModel: (name) => exclusive(() => remove(name)),
    removeUnusedBlobs: (digests) => exclusive(() => garbage.removeUnused(digests)),
    removeDamagedBlob: (digest) => exclusive(() => blobs.remove(digest)),
    collectGarbage: ({ graceMs = uploadGrace } = {}) => exclusive(() => garbage.collect(graceMs)),
    recover: () => exclusive(() => garbage.recover()),
    readNote: async (name) => (await orMissing(readFile(layout.note(name))))?.toString('utf8'),
    writeNote: (name, text) => writeDurably(layout.note(name), Buffer.from(text)),
  };
}
