// Verifies a store: hashes every blob and checks every manifest. Without `repair` it only reads, also while a server
// uses the store. Repair needs exclusive use.

import { lstat, readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Digest } from '../../base/digest.ts';
import { systemCodeOf } from '../../base/errors.ts';
import { undefinedIfMissing } from '../../base/files/undefined-if-missing.ts';
import { type Clock, systemClock } from '../../base/time/clock.ts';
import { formatModelName } from '../name.ts';
import { hashFile } from './blobs/hash-stream.ts';
import { createStoreLayout, parseBlobFile, type StoreLayout } from './files/layout.ts';
import { isAbandoned, isTemporaryName } from './files/temporary-file.ts';
import { uploadGrace } from './garbage.ts';
import { lockStore } from './lock.ts';
import { digestsOf } from './manifests/manifest.ts';
import { createManifests, type Inventory, type Manifests, type UnreadableManifest } from './manifests/manifests.ts';

interface BlobFinding {
  /** `damaged`: wrong content. `orphaned`: no model refers to it. `missing`: a model refers to it, but it is absent. */
  readonly kind: 'ok' | 'damaged' | 'orphaned' | 'missing';
  readonly digest: Digest;
  readonly bytes: number;
  /** Names of the models that refer to it. */
  readonly models: readonly string[];
  readonly removed: boolean;
}

interface UnreadableFinding extends UnreadableManifest {
  readonly kind: 'unreadable';
}

/** A temporary file of a process that has ended. */
interface LeftoverFinding {
  readonly kind: 'leftover';
  readonly path: string;
  readonly bytes: number;
  readonly removed: boolean;
}

export type Finding = BlobFinding | UnreadableFinding | LeftoverFinding;

export interface VerifyOptions {
  /** Removes damaged, orphaned and leftover files. Needs exclusive use of the store. */
  readonly repair?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { readonly bytes: number; readonly totalBytes: number }) => void;
  readonly clock?: Clock;
}

interface BlobOnDisk {
  readonly digest: Digest;
  readonly path: string;
  readonly bytes: number;
}

interface VerifyContext {
  readonly layout: StoreLayout;
  readonly manifests: Manifests;
  readonly clock: Clock;
  readonly repair: boolean;
  /** Undefined if the blob has been removed in the meantime. */
  readonly hash: (blob: BlobOnDisk) => Promise<Digest | 'unreadable' | undefined>;
}

/** Models with a missing blob are only reported: they can be pulled or created again. */
export async function* verifyStore(root: string, options: VerifyOptions = {}): AsyncGenerator<Finding> {
  const { repair = false, clock = systemClock } = options;
  const lock = repair ? await lockStore(root, { clock }) : undefined;
  try {
    const layout = createStoreLayout(root);
    const manifests = createManifests(layout, clock);
    const inventory = await manifests.readAll();
    for (const { path, reason } of inventory.unreadable) yield { kind: 'unreadable', path, reason };
    const blobs = await listBlobs(layout);
    const context = { layout, manifests, clock, repair, hash: createHasher(blobs, options) };
    yield* checkLeftovers(context, inventory);
    for (const blob of blobs) yield* checkBlob(context, blob, inventory);
    yield* findMissing(context);
  } finally {
    await lock?.release();
  }
}

async function listBlobs(layout: StoreLayout): Promise<BlobOnDisk[]> {
  const blobs: BlobOnDisk[] = [];
  for (const name of (await undefinedIfMissing(readdir(layout.blobs))) ?? []) {
    const file = parseBlobFile(name);
    if (file.kind !== 'blob') continue;
    const path = layout.blob(file.digest);
    const info = await undefinedIfMissing(lstat(path));
    if (info?.isFile()) blobs.push({ digest: file.digest, path, bytes: info.size });
  }
  return blobs;
}

function createHasher(blobs: readonly BlobOnDisk[], { signal, onProgress }: VerifyOptions): VerifyContext['hash'] {
  const totalBytes = blobs.reduce((sum, { bytes }) => sum + bytes, 0);
  let done = 0;
  const onBytes = (count: number): void => {
    done += count;
    onProgress?.({ bytes: done, totalBytes });
  };
  return async ({ path }) => {
    try {
      return (await undefinedIfMissing(hashFile(path, { onBytes, signal })))?.digest;
    } catch (error) {
      // The disk cannot read a part of the file.
      if (systemCodeOf(error) === 'EIO') return 'unreadable';
      throw error;
    }
  };
}

async function* checkBlob(
  { manifests, repair, hash }: VerifyContext,
  blob: BlobOnDisk,
  inventory: Inventory,
): AsyncGenerator<Finding> {
  const { digest, path, bytes } = blob;
  const found = await hash(blob);
  if (found === undefined) return;
  const finding = (kind: BlobFinding['kind'], models: readonly string[], removed: boolean): Finding => {
    return { kind, digest, bytes, models, removed };
  };
  let models = usersOf(digest, inventory);
  if (found !== digest) {
    if (repair) await rm(path, { force: true });
    return yield finding('damaged', models, repair);
  }
  if (models.length > 0) return yield finding('ok', models, false);
  // On a running store its model may have been added since. An unreadable manifest may refer to it.
  const now = await manifests.readAll();
  models = usersOf(digest, now);
  if (models.length > 0) return yield finding('ok', models, false);
  const removed = repair && now.unreadable.length === 0;
  if (removed) await rm(path, { force: true });
  yield finding('orphaned', [], removed);
}

async function* findMissing({ layout, manifests }: VerifyContext): AsyncGenerator<Finding> {
  const inventory = await manifests.readAll();
  const layers = inventory.models.flatMap(({ manifest }) => [manifest.config, ...manifest.layers]);
  for (const { digest, size } of new Map(layers.map((layer) => [layer.digest, layer])).values()) {
    if ((await undefinedIfMissing(lstat(layout.blob(digest))))?.isFile()) continue;
    const models = usersOf(digest, await manifests.readAll());
    if (models.length > 0) yield { kind: 'missing', digest, bytes: size, models, removed: false };
  }
}

function usersOf(digest: Digest, { models }: Inventory): string[] {
  return models.filter(({ manifest }) => digestsOf(manifest).includes(digest)).map(({ name }) => formatModelName(name));
}

async function* checkLeftovers(
  { layout, clock, repair }: VerifyContext,
  { temporaries }: Inventory,
): AsyncGenerator<Finding> {
  const inBlobs = ((await undefinedIfMissing(readdir(layout.blobs))) ?? []).filter(isTemporaryName);
  for (const path of [...temporaries, ...inBlobs.map((name) => join(layout.blobs, name))]) {
    const info = await undefinedIfMissing(lstat(path));
    if (!info?.isFile()) continue;
    if (!isAbandoned({ name: basename(path), age: clock.now() - info.mtimeMs, maxAge: uploadGrace })) continue;
    if (repair) await rm(path, { force: true });
    yield { kind: 'leftover', path, bytes: info.size, removed: repair };
  }
}
