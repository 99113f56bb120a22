// The manifests of a store. Parsed manifests are cached until their file changes, so that listing a thousand models
// costs one lstat per file.

import { lstat, readdir, readFile, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, sep } from 'node:path';
import { digestOf, hexOf } from '../../../base/digest.ts';
import { HearthError, messageOf } from '../../../base/errors.ts';
import { undefinedIfMissing } from '../../../base/files/undefined-if-missing.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { formatModelName, type ModelName, parseModelName } from '../../name.ts';
import { syncFolder, writeDurably } from '../files/durable-file.ts';
import { createFileCache } from '../files/file-cache.ts';
import type { StoreLayout } from '../files/layout.ts';
import { mapBounded } from '../files/map-bounded.ts';
import { readSmallFile } from '../files/read-small-file.ts';
import { isTemporaryName } from '../files/temporary-file.ts';
import { decodeManifest, type Manifest } from './manifest.ts';

export interface StoredModel {
  readonly name: ModelName;
  readonly manifest: Manifest;
  /** Hex digest of the stored manifest. */
  readonly digest: string;
  /** The time in milliseconds since the epoch. */
  readonly modifiedAt: number;
}

export interface UnreadableManifest {
  readonly path: string;
  readonly reason: string;
}

export interface Inventory {
  readonly models: readonly StoredModel[];
  /** If there are any, it is unknown which blobs are in use. */
  readonly unreadable: readonly UnreadableManifest[];
  readonly temporaries: readonly string[];
}

// Large enough for thousands of layers.
const maxManifest = 16 * 2 ** 20;
const maxOpenFiles = 32;

export function createManifests(layout: StoreLayout, clock: Clock) {
  const tree = createManifestTree(layout.manifests, clock);
  const cache = createFileCache<Pick<StoredModel, 'manifest' | 'digest'>>(clock);

  const read = async (name: ModelName): Promise<StoredModel | undefined> => {
    const path = layout.manifest(name);
    const cached = cache.get(path);
    if (cached !== undefined) return { name, ...cached.value, modifiedAt: cached.info.mtimeMs };
    const info = await undefinedIfMissing(lstat(path));
    const bytes = info?.isFile() ? await undefinedIfMissing(readBounded(path, info.size)) : undefined;
    if (info === undefined || bytes === undefined) return undefined;
    const value = { manifest: decodeManifest(bytes), digest: hexOf(digestOf(bytes)) };
    cache.set(path, info, value);
    return { name, ...value, modifiedAt: info.mtimeMs };
  };
  const invalidate = (path: string): void => {
    cache.delete(path);
    tree.invalidate(path);
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
    async readAll(): Promise<Inventory> {
      const { names, links, temporaries } = await tree.read();
      const unreadable = links.map((path) => ({ path, reason: 'it is a symbolic link' }));
      const models = await mapBounded(names, maxOpenFiles, async (name) => {
        try {
          return await read(name);
        } catch (error) {
          unreadable.push({ path: layout.manifest(name), reason: messageOf(error) });
          return undefined;
        }
      });
      return { models: models.filter((model) => model !== undefined), unreadable, temporaries };
    },
    /** Case-insensitive. Undefined if there is no such manifest. */
    async find(name: ModelName): Promise<StoredModel | undefined> {
      const stored = await tree.canonicalize(name);
      return stored.exists ? read(stored.name) : undefined;
    },
    /** The stored bytes. */
    readBytes: (name: ModelName): Promise<Buffer> => readFile(layout.manifest(name)),
    /** The name in the spelling that is or would be stored. */
    canonicalize: tree.canonicalize,
    async write(name: ModelName, bytes: Uint8Array): Promise<StoredModel> {
      const manifest = decodeManifest(Buffer.from(bytes));
      const path = layout.manifest(name);
      await rejectLinks(layout, name);
      try {
        await writeDurably(path, bytes);
      } finally {
        invalidate(path);
      }
      return { name, manifest, digest: hexOf(digestOf(bytes)), modifiedAt: (await stat(path)).mtimeMs };
    },
    /** Also removes folders that become empty. */
    async remove(name: ModelName): Promise<void> {
      const path = layout.manifest(name);
      await rejectLinks(layout, name);
      try {
        await rm(path, { force: true });
        // The blobs are removed next: a manifest that reappears after a crash would refer to missing blobs.
        await undefinedIfMissing(syncFolder(dirname(path)));
        await removeEmptyFolders(path);
      } finally {
        invalidate(path);
      }
    },
  };
}

export type Manifests = ReturnType<typeof createManifests>;

async function readBounded(path: string, size: number): Promise<Buffer> {
  if (size > maxManifest) throw new HearthError('store_damaged', 'a manifest in the store is too large');
  return readSmallFile(path, size);
}

/** A linked folder on the path would put the file outside the store. */
async function rejectLinks(layout: StoreLayout, name: ModelName): Promise<void> {
  let folder = dirname(layout.manifest(name));
  for (; folder !== layout.manifests; folder = dirname(folder)) {
    const info = await undefinedIfMissing(lstat(folder));
    if (info !== undefined && !info.isDirectory())
      throw new HearthError(
        'store_damaged',
        `${formatModelName(name)} cannot be stored: ${folder} is not a regular folder`,
      );
  }
}

// Reads the folder tree of manifests. Files that are not manifests by path and name are ignored. Links are not followed
// but reported, because a manifest behind one could refer to blobs.
interface TreeContent {
  readonly names: readonly ModelName[];
  /** Paths of symbolic links. */
  readonly links: readonly string[];
  /** Paths of temporary files. */
  readonly temporaries: readonly string[];
}

interface Entry {
  readonly name: string;
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
}

const depth = 4;
const maxOpenFolders = 32;

function createManifestTree(root: string, clock: Clock) {
  const cache = createFileCache<readonly Entry[]>(clock);

  const readFolder = async (path: string): Promise<readonly Entry[]> => {
    const cached = cache.get(path);
    if (cached !== undefined) return cached.value;
    return readChanged(path);
  };
  const readChanged = async (path: string): Promise<readonly Entry[]> => {
    const info = await undefinedIfMissing(lstat(path));
    const entries = info && (await undefinedIfMissing(listFolder(path)));
    if (entries === undefined) return [];
    cache.set(path, info as NonNullable<typeof info>, entries);
    return entries;
  };

  return {
    async read(): Promise<TreeContent> {
      const all: Entry[] = [];
      let level = [await readFolder(root)];
      for (let rest = depth - 1; rest >= 0; rest--) {
        const entries = level.flat();
        for (const entry of entries) all.push(entry);
        const folders = entries.filter(({ kind }) => kind === 'folder');
        if (rest > 0) level = await mapBounded(folders, maxOpenFolders, ({ path }) => readFolder(path));
      }
      const files = all.filter(({ kind }) => kind === 'file');
      return {
        names: files.flatMap(({ path }) => toName(path.slice(root.length + 1).split(sep))),
        links: all.filter(({ kind }) => kind === 'link').map(({ path }) => path),
        temporaries: files.filter(({ name }) => isTemporaryName(name)).map(({ path }) => path),
      };
    },
    /**
     * The name in the spelling of existing folders and files; new parts keep their own. Some file systems are
     * case-sensitive and others are not, so two names must never differ only in case.
     */
    async canonicalize(name: ModelName): Promise<{ readonly name: ModelName; readonly exists: boolean }> {
      const parts = [name.host, name.namespace, name.model, name.tag];
      const found: string[] = [];
      for (const part of parts) {
        const kind = found.length === depth - 1 ? 'file' : 'folder';
        const path = [root, ...found].join(sep);
        // Usually no folder has changed, and there is nothing to wait for.
        const entries = cache.get(path)?.value ?? (await readChanged(path));
        const match = findIgnoringCase(entries, { name: part, kind });
        if (match === undefined) break;
        found.push(match.name);
      }
      const [host = '', namespace = '', model = '', tag = ''] = [...found, ...parts.slice(found.length)];
      return { name: { host, namespace, model, tag }, exists: found.length === depth };
    },
    /** To be called after a file has changed. */
    invalidate(path: string): void {
      for (let folder = dirname(path); folder.length >= root.length; folder = dirname(folder)) cache.delete(folder);
    },
  };
}

async function listFolder(path: string): Promise<Entry[]> {
  const entries = await readdir(path, { withFileTypes: true });
  return entries.map((entry) => {
    const kind = entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : entry.isSymbolicLink() ? 'link' : 'other';
    return { name: entry.name, path: `${path}${sep}${entry.name}`, kind };
  });
}

/** Every request does this with folders of possibly thousands of models, so no list is made. */
function findIgnoringCase(entries: readonly Entry[], searched: Pick<Entry, 'name' | 'kind'>): Entry | undefined {
  const { name: exact, kind: wanted } = searched;
  const lowerCase = exact.toLowerCase();
  return (
    entries.find(({ name, kind }) => kind === wanted && name === exact) ??
    entries.find(({ name, kind }) => kind === wanted && name.toLowerCase() === lowerCase)
  );
}

function toName(parts: readonly string[]): ModelName[] {
  if (parts.length !== depth) return [];
  const [host, namespace, model, tag] = parts;
  try {
    return [parseModelName(`${host}/${namespace}/${model}:${tag}`)];
  } catch {
    return [];
  }
}
