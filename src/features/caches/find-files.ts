// Finds GGUF files in the folders of other programs. The folders may be huge, and may contain anything: a limit bounds the
// number of entries that are read, and a link is followed only where the layout has one.
//
//   Hugging Face   <hub>/models--<user>--<repository>/{refs/main, snapshots/<commit>/<path>, blobs/<hash>}; a file of a
//                  snapshot is a link to a blob, or a file where links are not possible
//   LM Studio      <models>/<user>/<repository>/<path>

import type { Dir, Dirent } from 'node:fs';
import { lstat, opendir, readFile, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { CachedFile, CachedRepository } from './cached-model.ts';

export const cacheLimits = {
  /** Entries of folders, in one search. */
  entries: 50_000,
  /** Folders in a repository, one in another. */
  depth: 4,
} as const;

/** What is left of the limit. */
interface Budget {
  entries: number;
}

export interface CacheFolders {
  readonly huggingFace: string;
  /** The first one that has a model of a name is used. */
  readonly lmStudio: readonly string[];
}

/** Folders that do not exist or cannot be read have no files. */
export async function findRepositories(
  { huggingFace, lmStudio }: CacheFolders,
  entries: number = cacheLimits.entries,
): Promise<CachedRepository[]> {
  const budget = { entries };
  const found = await findHuggingFace(huggingFace, budget);
  for (const folder of lmStudio) found.push(...(await findLmStudio(folder, budget)));
  return found;
}

async function findHuggingFace(hub: string, budget: Budget): Promise<CachedRepository[]> {
  // The folder itself is often a link to another disk.
  const root = await realpath(hub).catch(() => undefined);
  const repositories: CachedRepository[] = [];
  for (const entry of root === undefined ? [] : await listFolder(root, budget)) {
    const [, user, name] = /^models--(.+?)--(.+)$/.exec(entry.name) ?? [];
    if (root === undefined || user === undefined || !entry.isDirectory()) continue;
    const files = await findInSnapshots(join(root, entry.name), budget);
    if (files.length > 0) repositories.push({ program: 'huggingface', id: `${user}/${name}`, files });
  }
  return repositories;
}

async function findInSnapshots(repository: string, budget: Budget): Promise<CachedFile[]> {
  const main = (await readFile(join(repository, 'refs', 'main'), 'latin1').catch(() => '')).trim();
  const snapshots = join(repository, 'snapshots');
  const commits = (await listFolder(snapshots, budget)).filter((entry) => entry.isDirectory());
  const newestFirst = commits.map(({ name }) => name).sort((a, b) => Number(b === main) - Number(a === main));
  const files = new Map<string, CachedFile>();
  const blobs = join(repository, 'blobs') + sep;
  for (const commit of newestFirst) {
    for (const file of await walk(join(snapshots, commit), budget, { blobs }))
      if (!files.has(file.name)) files.set(file.name, file);
  }
  return [...files.values()];
}

async function findLmStudio(models: string, budget: Budget): Promise<CachedRepository[]> {
  const root = await realpath(models).catch(() => undefined);
  if (root === undefined) return [];
  const repositories: CachedRepository[] = [];
  for (const user of await listFolder(root, budget)) {
    if (!user.isDirectory()) continue;
    for (const repository of await listFolder(join(root, user.name), budget)) {
      if (!repository.isDirectory()) continue;
      const files = await walk(join(root, user.name, repository.name), budget);
      if (files.length > 0) repositories.push({ program: 'lmstudio', id: `${user.name}/${repository.name}`, files });
    }
  }
  return repositories;
}

interface WalkOptions {
  /** Links to files in this folder are followed. */
  readonly blobs?: string;
  readonly prefix?: string;
  readonly depth?: number;
}

async function walk(folder: string, budget: Budget, options: WalkOptions = {}): Promise<CachedFile[]> {
  const { blobs, prefix = '', depth = cacheLimits.depth } = options;
  const files: CachedFile[] = [];
  for (const entry of await listFolder(folder, budget)) {
    const path = join(folder, entry.name);
    const name = `${prefix}${entry.name}`;
    if (entry.isDirectory() && depth > 1)
      files.push(...(await walk(path, budget, { blobs, prefix: `${name}/`, depth: depth - 1 })));
    else if (/\.gguf$/i.test(entry.name)) {
      const file = entry.isSymbolicLink() ? await followLink(path, blobs) : path;
      files.push(...(await describeFile(name, file)));
    }
  }
  return files;
}

async function describeFile(name: string, path: string | undefined): Promise<CachedFile[]> {
  const info = path === undefined ? undefined : await lstat(path).catch(() => undefined);
  if (path === undefined || !info?.isFile()) return [];
  return [{ name, path, bytes: info.size, modifiedAt: info.mtimeMs }];
}

async function followLink(path: string, blobs: string | undefined): Promise<string | undefined> {
  if (blobs === undefined) return undefined;
  const target = await realpath(path).catch(() => undefined);
  return target?.startsWith(blobs) ? target : undefined;
}

async function listFolder(folder: string, budget: Budget): Promise<Dirent[]> {
  const opened: Dir | undefined = await opendir(folder).catch(() => undefined);
  const entries: Dirent[] = [];
  if (opened === undefined) return entries;
  try {
    for (let entry = await opened.read(); entry !== null && budget.entries > 0; entry = await opened.read()) {
      budget.entries--;
      entries.push(entry);
    }
  } finally {
    await opened.close();
  }
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}
