// Holds a store against its own names: every blob is read and hashed, every manifest looked up. On a running store this
// only reads; to repair it, nobody else may be using it.

import { lstat, readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Digest } from '../../base/digest.ts';
import { systemCodeOf } from '../../base/errors.ts';
import { type Clock, systemClock } from '../../base/time/clock.ts';
import { formatModelName } from '../name.ts';
import { hashFile } from './blobs/hash-stream.ts';
import { orMissing } from './files/or-missing.ts';
import { isAbandoned, isTemporaryName } from './files/temporary-file.ts';
import { uploadGrace } from './garbage.ts';
import { createLayout, type Layout, parseBlobFile } from './layout.ts';
import { lockStore } from './lock.ts';
import { digestsOf } from './manifests/manifest.ts';
import { createManifests, type Inventory, type Manifests, type UnreadableManifest } from './manifests/manifests.ts';

export interface BlobFinding {
  /**
   * `damaged`: its content is not what its name says. `orphaned`: no model refers to it. `missing`: a model refers to it,
   * and it is not there.
   */
  readonly kind: 'ok' | 'damaged' | 'orphaned' | 'missing';
  readonly digest: Digest;
  readonly bytes: number;
  /** Names of the models that refer to it. */
  readonly models: readonly string[];
  readonly removed: boolean;
}

export interface UnreadableFinding extends UnreadableManifest {
  readonly kind: 'unreadable';
}

/** What a process that has ended left behind. */
export interface LeftoverFinding {
  readonly kind: 'leftover';
  readonly path: string;
  readonly bytes: number;
  readonly removed: boolean;
}

export type Finding = BlobFinding | UnreadableFinding | LeftoverFinding;

export interface VerifyProgress {
  readonly bytes: number;
  readonly totalBytes: number;
}

export interface VerifyOptions {
  /** Removes what is damaged, orphaned or left over. Needs the store for itself. */
  readonly repair?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: VerifyProgress) => void;
  readonly clock?: Clock;
}

interface BlobOnDisk {
  readonly digest: Digest;
  readonly path: string;
  readonly bytes: number;
}

interface Examination {
  readonly layout: Layout;
  readonly manifests: Manifests;
  readonly clock: Clock;
  readonly repair: boolean;
  /** Undefined for a blob that is gone meanwhile. */
  readonly hash: (blob: BlobOnDisk) => Promise<Digest | 'unreadable' | undefined>;
}

/** Models that miss a blob are only reported: they can be pulled or created again. */
export async function* verifyStore(root: string, options: VerifyOptions = {}): AsyncGenerator<Finding> {
  const { repair = false, clock = systemClock } = options;
  const lock = repair ? await lockStore(root, { clock }) : undefined;
  try {
    const layout = createLayout(root);
    const manifests = createManifests(layout, clock);
    const inventory = await manifests.readAll();
    for (const { path, reason } of inventory.unreadable) yield { kind: 'unreadable', path, reason };
    const blobs = await listBlobs(layout);
    const examination = { layout, manifests, clock, repair, hash: createHasher(blobs, options) };
    yield* checkLeftovers(examination, inventory);
    for (const blob of blobs) yield* checkBlob(examination, blob, inventory);
    yield* findMissing(examination);
  } finally {
    await lock?.release();
  }
}

async function listBlobs(layout: Layout): Promise<BlobOnDisk[]> {
  const blobs: BlobOnDisk[] = [];
  for (const name of (await orMissing(readdir(layout.blobs))) ?? []) {
    const file = parseBlobFile(name);
    if (file.kind !== 'blob') continue;
    const path = layout.blob(file.digest);
    const info = await orMissing(lstat(path));
    if (info?.isFile()) blobs.push({ digest: file.digest, path, bytes: info.size });
  }
  return blobs;
}

function createHasher(blobs: readonly BlobOnDisk[], { signal, onProgress }: VerifyOptions): Examination['hash'] {
  const totalBytes = blobs.reduce((sum, { bytes }) => sum + bytes, 0);
  let done = 0;
  const onBytes = (count: number): void => {
    done += count;
    onProgress?.({ bytes: done, totalBytes });
  };
  return async ({ path }) => {
    try {
      return (await orMissing(hashFile(path, { onBytes, ...(signal ? { signal } : {}) })))?.digest;
    } catch (error) {
      // The disk itself has lost a part of it.
      if (systemCodeOf(error) === 'EIO') return 'unreadable';
      throw error;
    }
  };
}

async function* checkBlob(
  { manifests, repair, hash }: Examination,
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
  // On a running store its model may have come since; with a manifest that cannot be read, it may be that one's.
  const now = await manifests.readAll();
  models = usersOf(digest, now);
  if (models.length > 0) return yield finding('ok', models, false);
  const removed = repair && now.unreadable.length === 0;
  if (removed) await rm(path, { force: true });
  yield finding('orphaned', [], removed);
}

async function* findMissing({ layout, manifests }: Examination): AsyncGenerator<Finding> {
  const inventory = await manifests.readAll();
  const layers = inventory.models.flatMap(({ manifest }) => [manifest.config, ...manifest.layers]);
  for (const { digest, size } of new Map(layers.map((layer) => [layer.digest, layer])).values()) {
    if ((await orMissing(lstat(layout.blob(digest))))?.isFile()) continue;
    const models = usersOf(digest, await manifests.readAll());
    if (models.length > 0) yield { kind: 'missing', digest, bytes: size, models, removed: false };
  }
}

function usersOf(digest: Digest, { models }: Inventory): string[] {
  return models.filter(({ manifest }) => digestsOf(manifest).includes(digest)).map(({ name }) => formatModelName(name));
}

async function* checkLeftovers(
  { layout, clock, repair }: Examination,
  { temporaries }: Inventory,
): AsyncGenerator<Finding> {
  const inBlobs = ((await orMissing(readdir(layout.blobs))) ?? []).filter(isTemporaryName);
  for (const path of [...temporaries, ...inBlobs.map((name) => join(layout.blobs, name))]) {
    const info = await orMissing(lstat(path));
    if (!info?.isFile()) continue;
    if (!isAbandoned({ name: basename(path), age: clock.now() - info.mtimeMs, oldest: uploadGrace })) continue;
    if (repair) await rm(path, { force: true });
    yield { kind: 'leftover', path, bytes: info.size, removed: repair };
  }
}
