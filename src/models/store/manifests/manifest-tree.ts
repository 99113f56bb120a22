// Reads the folder tree of manifests. Files that are not manifests by path and name are ignored. Links are not followed
// but reported, because a manifest behind one could refer to blobs.

import { lstat, readdir } from 'node:fs/promises';
import { dirname, sep } from 'node:path';
import type { Clock } from '../../../base/time/clock.ts';
import { type ModelName, parseModelName } from '../../name.ts';
import { createFileCache } from '../files/file-cache.ts';
import { mapBounded } from '../files/map-bounded.ts';
import { isTemporaryName } from '../files/temporary-file.ts';
import { undefinedIfMissing } from '../files/undefined-if-missing.ts';

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

export function createManifestTree(root: string, clock: Clock) {
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
