// Installs and removes backends: downloads the package, compares its checksum, and keeps the one file that is needed. A
// backend is complete or absent: its folder gets its name last. An interrupted download is continued by the next one.

import { createReadStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createAsyncQueue } from '../../base/async-queue.ts';
import { HearthError, systemCodeOf } from '../../base/errors.ts';
import { makeFolder } from '../../base/files/make-folder.ts';
import { type Archive, type ArchiveEntry, invalidArchive } from '../../formats/archive/archive.ts';
import { readTar } from '../../formats/archive/read-tar.ts';
import type { PackageClient } from '../../models/package-client/package-client.ts';
import { type BackendName, backendTable, packageOf } from './backend-table.ts';
import type { Machine } from './engine-package.ts';
import { type FoundBackend, findBackends, installedFolderName, isBackendName } from './find-backends.ts';
import { hasPart, openWorkFolder } from './work-folder.ts';

export interface InstallOptions {
  /** The folder of backends; created if necessary. */
  readonly folder: string;
  readonly machine: Machine;
  readonly packages: Pick<PackageClient, 'resolve' | 'download'>;
  readonly signal: AbortSignal;
}

/** In the form of the progress of a pull. */
export interface InstallProgress {
  readonly status: string;
  readonly digest?: string;
  readonly total?: number;
  readonly completed?: number;
}

export interface WantedBackend {
  readonly name: BackendName;
  /** The version of the engine: a backend of another version does not fit. */
  readonly version: string;
}

/** One after the other. Ends with the status `success`. */
export async function* installBackends(
  wanted: readonly WantedBackend[],
  options: InstallOptions,
): AsyncGenerator<InstallProgress> {
  for (const backend of wanted) {
    const progress = createAsyncQueue<InstallProgress>({ merge: mergeProgress });
    const result = install(backend, options, progress.push).finally(() => progress.end());
    result.catch(() => {});
    yield* progress;
    await result;
  }
  yield { status: 'success' };
}

/** A slow terminal needs only the latest number. */
function mergeProgress(waiting: InstallProgress, next: InstallProgress): InstallProgress | undefined {
  return waiting.digest !== undefined && waiting.digest === next.digest ? next : undefined;
}

async function install(
  { name, version }: WantedBackend,
  options: InstallOptions,
  report: (progress: InstallProgress) => void,
): Promise<void> {
  const { folder, machine, packages, signal } = options;
  const target = join(folder, installedFolderName(name, version));
  const packageName = packageOf(name, machine);
  if (packageName === undefined) throw notPublished(name, machine);
  if (await isFolder(target)) return report({ status: `${name} ${version}: up to date` });
  await makeFolder(folder);
  const work = await openWorkFolder(folder, installedFolderName(name, version));
  try {
    const reference = { source: 'npm', name: packageName, version, path: undefined } as const;
    report({ status: `resolving ${packageName}` });
    const resolved = await packages.resolve(reference, work, signal);
    const status = `downloading ${packageName} ${version}`;
    const onProgress = (completed: number, total: number | undefined): void =>
      // Not every registry states the size.
      report({
        status,
        digest: packageName,
        total: total === undefined ? undefined : Math.max(total, completed),
        completed,
      });
    const archive = await packages.download({ reference, resolved, folder: work, onProgress }, signal);
    report({ status: 'unpacking' });
    const unpacked = join(work, 'backend');
    await makeFolder(unpacked);
    await unpack(archive, { name, folder: unpacked });
    await rename(unpacked, target).catch(ignoreExisting);
  } catch (error) {
    if (!(await hasPart(work))) await rm(work, { recursive: true, force: true });
    throw error;
  }
  await rm(work, { recursive: true, force: true });
}

// The largest one has 374 MB.
const maxLibraryBytes = 4 * 2 ** 30;

async function unpack(
  path: string,
  { name, folder }: { readonly name: BackendName; readonly folder: string },
): Promise<void> {
  const { size } = await stat(path);
  const archive = await readTar({
    compression: 'gzip',
    size,
    open: () => createReadStream(path, { highWaterMark: 2 ** 18 }),
  });
  const entry = findLibrary(archive, name);
  await archive.extract(new Set([entry.path]), async (_, content) => {
    const file = await open(join(folder, basename(entry.path)), 'wx', 0o644);
    try {
      for await (const chunk of content) await file.writeFile(chunk);
      await file.sync();
    } finally {
      await file.close();
    }
  });
}

/** The package also has the engine, which Hearth has. */
function findLibrary({ entries }: Archive, name: BackendName): ArchiveEntry {
  const [entry, ...others] = entries.filter(({ path }) => backendTable[name].file.test(basename(path)));
  if (entry === undefined || others.length > 0) throw invalidArchive(`it does not contain exactly one file of ${name}`);
  if (entry.size > maxLibraryBytes) throw invalidArchive(`${entry.path} is too large`);
  return entry;
}

/** Removes all versions. Returns what was removed; nothing if it is not installed. */
export async function removeBackend(name: string, folder: string, machine: Machine): Promise<FoundBackend[]> {
  const installed = findBackends({ folder, machine }).filter(({ origin }) => origin === 'installed');
  const removed = chooseRemoved(name, installed);
  for (const backend of removed) await rm(backend.folder, { recursive: true, force: true });
  return removed;
}

/** The build for vision models was installed with the one for text, and leaves with the last one of its family. */
function chooseRemoved(name: string, installed: readonly FoundBackend[]): FoundBackend[] {
  const familyOf = (other: string) => (isBackendName(other) ? backendTable[other].family : undefined);
  const remaining = installed.filter((backend) => backend.name !== name);
  const isLast = !remaining.some((backend) => backend.engine === 'text' && familyOf(backend.name) === familyOf(name));
  const leaves = (backend: FoundBackend): boolean =>
    backend.name === name || (isLast && backend.engine === 'vision' && familyOf(backend.name) === familyOf(name));
  return installed.filter(leaves);
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (info) => info.isDirectory(),
    () => false,
  );
}

/** Another process has installed it in the meantime. */
function ignoreExisting(error: unknown): void {
  if (!['EEXIST', 'ENOTEMPTY'].includes(systemCodeOf(error) ?? '')) throw error;
}

export function notPublished(name: string, { platform, arch }: Machine): HearthError {
  const message = `there is no package of the backend ${name} for ${platform} ${arch}; build one with ggml and set HEARTH_BACKENDS to its folder`;
  return new HearthError('unsupported', message);
}
