// The folders of manifests, as names. What is not a manifest by its place and name is not ours to judge; links are not
// followed, but reported, because a manifest behind one would need its blobs like any other.

import { lstat, readdir } from 'node:fs/promises';
import { dirname, sep } from 'node:path';
import type { Clock } from '../../../base/time/clock.ts';
import { type ModelName, parseModelName } from '../../name.ts';
import { createFileMemory } from '../files/file-cache.ts';
import { mapBounded } from '../files/map-bounded.ts';
import { orMissing } from '../files/or-missing.ts';
import { isTemporaryName } from '../files/temporary-file.ts';

export interface TreeContent {
  readonly names: readonly ModelName[];
  /** Paths of symbolic links. */
  readonly links: readonly string[];
  /** Paths of files that are being written, or were. */
  readonly temporaries: readonly string[];
}

export interface ManifestTree {
  read(): Promise<TreeContent>;
  /**
   * The name with the spelling that folders and files have; parts that are not there yet keep their own. Case matters on
   * some file systems and not on others, so two names must never differ in nothing else.
   */
  spell(name: ModelName): Promise<{ readonly name: ModelName; readonly exists: boolean }>;
  /** For whoever changes a file. */
  forget(path: string): void;
}

interface Entry {
  readonly name: string;
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
}

const depth = 4;
const foldersAtOnce = 32;

export function createManifestTree(root: string, clock: Clock): ManifestTree {
  const memory = createFileMemory<readonly Entry[]>(clock);

  const readFolder = async (path: string): Promise<readonly Entry[]> => {
    const recalled = memory.recall(path);
    if (recalled !== undefined) return recalled.value;
    const info = await orMissing(lstat(path));
    const entries = info && (await orMissing(listFolder(path)));
    if (entries === undefined) return [];
    memory.remember(path, info as NonNullable<typeof info>, entries);
    return entries;
  };

  return {
    async read() {
      const all: Entry[] = [];
      let level = [await readFolder(root)];
      for (let rest = depth - 1; rest >= 0; rest--) {
        const entries = level.flat();
        for (const entry of entries) all.push(entry);
        const folders = entries.filter(({ kind }) => kind === 'folder');
        if (rest > 0) level = await mapBounded(folders, foldersAtOnce, ({ path }) => readFolder(path));
      }
      const files = all.filter(({ kind }) => kind === 'file');
      return {
        names: files.flatMap(({ path }) => toName(path.slice(root.length + 1).split(sep))),
        links: all.filter(({ kind }) => kind === 'link').map(({ path }) => path),
        temporaries: files.filter(({ name }) => isTemporaryName(name)).map(({ path }) => path),
      };
    },
    async spell(name) {
      const parts = [name.host, name.namespace, name.model, name.tag];
      const spelled: string[] = [];
      for (const part of parts) {
        const kind = spelled.length === depth - 1 ? 'file' : 'folder';
        const entries = await readFolder([root, ...spelled].join(sep));
        const match = findSpelling(
          entries.filter((entry) => entry.kind === kind).map((entry) => entry.name),
          part,
        );
        if (match === undefined) break;
        spelled.push(match);
      }
      const [host = '', namespace = '', model = '', tag = ''] = [...spelled, ...parts.slice(spelled.length)];
      return { name: { host, namespace, model, tag }, exists: spelled.length === depth };
    },
    forget(path) {
      for (let folder = dirname(path); folder.length >= root.length; folder = dirname(folder)) memory.forget(folder);
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

function findSpelling(names: readonly string[], wanted: string): string | undefined {
  const lowerCase = wanted.toLowerCase();
  return names.find((name) => name === wanted) ?? names.find((name) => name.toLowerCase() === lowerCase);
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
