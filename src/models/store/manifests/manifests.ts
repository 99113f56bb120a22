// The manifests of a store. What was read is remembered for as long as the file is the same, so that a list of a
// thousand models costs a look at each file and no reading.

import { lstat, readFile, rm, rmdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { digestOf, hexOf } from '../../../base/digest.ts';
import { HearthError, messageOf } from '../../../base/errors.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { formatModelName, type ModelName } from '../../name.ts';
import { syncFolder, writeDurably } from '../files/durable-file.ts';
import { createFileMemory } from '../files/file-cache.ts';
import { mapBounded } from '../files/map-bounded.ts';
import { orMissing } from '../files/or-missing.ts';
import { readSmallFile } from '../files/read-small-file.ts';
import type { Layout } from '../layout.ts';
import { decodeManifest, type Manifest } from './manifest.ts';
import { createManifestTree } from './manifest-tree.ts';

export interface StoredModel {
  readonly name: ModelName;
  readonly manifest: Manifest;
  /** Hex digest of the manifest as it is stored. */
  readonly digest: string;
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number;
}

export interface UnreadableManifest {
  readonly path: string;
  readonly reason: string;
}

export interface Inventory {
  readonly models: readonly StoredModel[];
  /** As long as there is one, nobody can say which blobs are in use. */
  readonly unreadable: readonly UnreadableManifest[];
  readonly temporaries: readonly string[];
}

export interface Manifests {
  readAll(): Promise<Inventory>;
  /** Case does not matter. Undefined when it is not there. */
  find(name: ModelName): Promise<StoredModel | undefined>;
  /** The bytes as they are stored. */
  readBytes(name: ModelName): Promise<Buffer>;
  /** The name that a manifest of this name has, or would get. */
  spell(name: ModelName): Promise<{ name: ModelName; exists: boolean }>;
  write(name: ModelName, bytes: Uint8Array): Promise<StoredModel>;
  /** And the folders that are empty then. */
  remove(name: ModelName): Promise<void>;
}

// Thousands of layers fit; whatever is larger was not meant as one.
const maxManifest = 16 * 2 ** 20;
const filesAtOnce = 32;

export function createManifests(layout: Layout, clock: Clock): Manifests {
  const tree = createManifestTree(layout.manifests, clock);
  const memory = createFileMemory<Pick<StoredModel, 'manifest' | 'digest'>>(clock);

  const read = async (name: ModelName): Promise<StoredModel | undefined> => {
    const path = layout.manifest(name);
    const recalled = memory.recall(path);
    if (recalled !== undefined) return { name, ...recalled.value, modifiedAt: recalled.info.mtimeMs };
    const info = await orMissing(lstat(path));
    const bytes = info?.isFile() ? await orMissing(readBounded(path, info.size)) : undefined;
    if (info === undefined || bytes === undefined) return undefined;
    const value = { manifest: decodeManifest(bytes), digest: hexOf(digestOf(bytes)) };
    memory.remember(path, info, value);
    return { name, ...value, modifiedAt: info.mtimeMs };
  };
  const forget = (path: string): void => {
    memory.forget(path);
    tree.forget(path);
  };

  const removeEmptyFolders = async (path: string): Promise<void> => {
    for (let folder = dirname(path); folder !== layout.manifests; folder = dirname(folder)) {
      try {
        await rmdir(folder);
      } catch {
        return;
      }
    }
  };

  return {
    async readAll() {
      const { names, links, temporaries } = await tree.read();
      const unreadable = links.map((path) => ({ path, reason: 'it is a symbolic link' }));
      const models = await mapBounded(names, filesAtOnce, async (name) => {
        try {
          return await read(name);
        } catch (error) {
          unreadable.push({ path: layout.manifest(name), reason: messageOf(error) });
          return undefined;
        }
      });
      return { models: models.filter((model) => model !== undefined), unreadable, temporaries };
    },
    async find(name) {
      const spelled = await tree.spell(name);
      return spelled.exists ? read(spelled.name) : undefined;
    },
    readBytes: (name) => readFile(layout.manifest(name)),
    spell: tree.spell,
    async write(name, bytes) {
      const manifest = decodeManifest(Buffer.from(bytes));
      const path = layout.manifest(name);
      await refuseLinks(layout, name);
      try {
        await writeDurably(path, bytes);
      } finally {
        forget(path);
      }
      return { name, manifest, digest: hexOf(digestOf(bytes)), modifiedAt: (await stat(path)).mtimeMs };
    },
    async remove(name) {
      const path = layout.manifest(name);
      await refuseLinks(layout, name);
      try {
        await rm(path, { force: true });
        // The blobs go next: a manifest that came back after a crash would miss them.
        await orMissing(syncFolder(dirname(path)));
        await removeEmptyFolders(path);
      } finally {
        forget(path);
      }
    },
  };
}

async function readBounded(path: string, size: number): Promise<Buffer> {
  if (size > maxManifest) throw new HearthError('store_damaged', 'a manifest in the store is too large');
  return readSmallFile(path, size);
}

/** A folder on the way that is a link would take the file out of the store. */
async function refuseLinks(layout: Layout, name: ModelName): Promise<void> {
  let folder = dirname(layout.manifest(name));
  for (; folder !== layout.manifests; folder = dirname(folder)) {
    const info = await orMissing(lstat(folder));
    if (info !== undefined && !info.isDirectory())
      throw new HearthError(
        'store_damaged',
        `${formatModelName(name)} cannot be stored: ${folder} is not a folder of its own`,
      );
  }
}
