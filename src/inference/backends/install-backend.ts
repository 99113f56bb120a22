// Installs and removes backends: downloads the package, compares its checksum, and keeps the files that are needed. A
// backend is complete or absent: its folder gets its name last. An interrupted download is continued by the next one.

import { createReadStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createAsyncQueue } from '../../base/async-queue.ts';
import { HearthError, systemCodeOf } from '../../base/errors.ts';
import { makeFolder } from '../../base/files/make-folder.ts';
import { type Archive, type ArchiveEntry, invalidArchive } from '../../formats/archive/archive.ts';
import { readTar } from '../../formats/archive/read-tar.ts';
import { readZip } from '../../formats/archive/read-zip.ts';
import type { PackageClient } from '../../models/package-client/package-client.ts';
import { toIntegrity } from '../../models/package-client/pip-tool.ts';
import type { PackageReference, PackageSource } from '../../models/package-reference.ts';
import { type BackendName, backendTable, packageOf } from './backend-table.ts';
import {
  type FoundRuntime,
  findRuntime,
  type RuntimePackage,
  runtimeFolderName,
  runtimeLibrary,
  runtimeOf,
} from './cuda-runtime.ts';
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

interface WantedBackend {
  readonly name: BackendName;
  /** The version of the engine: a backend of another version does not fit. */
  readonly version: string;
}

export interface Wanted {
  readonly backends: readonly WantedBackend[];
  /** Absent: the libraries of the system are used. */
  readonly runtime?: readonly RuntimePackage[];
}

/** One after the other. Ends with the status `success`. */
export async function* installBackends(wanted: Wanted, options: InstallOptions): AsyncGenerator<InstallProgress> {
  const { machine, folder } = options;
  const { backends, runtime = [] } = wanted;
  const downloads = [
    ...backends.map((backend) => toDownload(backend, machine)),
    ...runtime.map((one) => toRuntimeDownload(one, machine)),
  ];
  for (const download of downloads) {
    const progress = createAsyncQueue<InstallProgress>({ merge: mergeProgress });
    const result = install(download, options, progress.push).finally(() => progress.end());
    result.catch(() => {});
    yield* progress;
    await result;
  }
  await removeRuntime(folder, ({ name, version }) =>
    runtime.some((wantedOne) => wantedOne.name === name && wantedOne.version !== version),
  );
  yield { status: 'success' };
}

/** A slow terminal needs only the latest number. */
function mergeProgress(waiting: InstallProgress, next: InstallProgress): InstallProgress | undefined {
  return waiting.digest !== undefined && waiting.digest === next.digest ? next : undefined;
}

interface Download {
  readonly reference: PackageReference & { readonly version: string };
  /** Absent: the one that the index states. */
  readonly integrity?: string;
  /** The name of the folder with its files. */
  readonly name: string;
  /** For people. */
  readonly label: string;
  choose(archive: Archive): readonly ArchiveEntry[];
}

function toDownload(backend: WantedBackend, machine: Machine): Download {
  const { name, version } = backend;
  const packageName = packageOf(name, machine);
  if (packageName === undefined) throw notPublished(name, machine);
  return {
    reference: { source: 'npm', name: packageName, version, path: undefined },
    name: installedFolderName(name, version),
    label: `${name} ${version}`,
    choose: (archive) => [findLibrary(archive, name)],
  };
}

function toRuntimeDownload(runtime: RuntimePackage, { platform, arch }: Machine): Download {
  const { name, version, wheels } = runtime;
  return {
    reference: { source: 'pypi', name, version, path: undefined },
    integrity: toIntegrity(wheels[`${platform}-${arch}`] ?? ''),
    name: runtimeFolderName(runtime),
    label: `${name} ${version}`,
    choose: ({ entries }) => findRuntimeLibraries(entries, name),
  };
}

async function install(
  { reference, integrity, name, label, choose }: Download,
  { folder, packages, signal }: InstallOptions,
  report: (progress: InstallProgress) => void,
): Promise<void> {
  const target = join(folder, name);
  if (await isFolder(target)) return report({ status: `${label}: up to date` });
  await makeFolder(folder);
  const work = await openWorkFolder(folder, name);
  try {
    report({ status: `resolving ${reference.name}` });
    const found = await packages.resolve(reference, work, signal);
    const resolved = { ...found, integrity: integrity ?? found.integrity };
    const status = `downloading ${reference.name} ${reference.version}`;
    const onProgress = (completed: number, total: number | undefined): void =>
      // Not every registry states the size.
      report({
        status,
        digest: reference.name,
        total: total === undefined ? undefined : Math.max(total, completed),
        completed,
      });
    const path = await packages.download({ reference, resolved, folder: work, onProgress }, signal);
    report({ status: 'unpacking' });
    const unpacked = join(work, 'backend');
    await makeFolder(unpacked);
    await unpack(path, { source: reference.source, choose, folder: unpacked });
    await rename(unpacked, target).catch(ignoreExisting);
  } catch (error) {
    if (!(await hasPart(work))) await rm(work, { recursive: true, force: true });
    throw error;
  }
  await rm(work, { recursive: true, force: true });
}

// The largest one has 749 MB.
const maxLibraryBytes = 4 * 2 ** 30;

interface Unpacking extends Pick<Download, 'choose'> {
  readonly source: PackageSource;
  readonly folder: string;
}

async function unpack(path: string, { source, choose, folder }: Unpacking): Promise<void> {
  const packageFile = await open(path);
  try {
    const { size } = await packageFile.stat();
    const read = async (position: number, length: number): Promise<Buffer> => {
      const { buffer, bytesRead } = await packageFile.read(Buffer.allocUnsafe(length), 0, length, position);
      return buffer.subarray(0, bytesRead);
    };
    const stream = () => createReadStream(path, { highWaterMark: 2 ** 18 });
    const archive = await (source === 'pypi'
      ? readZip({ size, read })
      : readTar({ compression: 'gzip', size, open: stream }));
    const chosen = choose(archive);
    for (const { path: name, size: bytes } of chosen)
      if (bytes > maxLibraryBytes) throw invalidArchive(`${name} is too large`);
    await archive.extract(new Set(chosen.map((entry) => entry.path)), (entry, content) =>
      writeLibrary(join(folder, basename(entry.path)), content),
    );
  } finally {
    await packageFile.close();
  }
}

async function writeLibrary(path: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  const file = await open(path, 'wx', 0o644);
  try {
    for await (const chunk of content) await file.writeFile(chunk);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The package also has the engine, which Hearth has. */
function findLibrary({ entries }: Archive, name: BackendName): ArchiveEntry {
  const [entry, ...others] = entries.filter(({ path }) => backendTable[name].file.test(basename(path)));
  if (entry === undefined || others.length > 0) throw invalidArchive(`it does not contain exactly one file of ${name}`);
  return entry;
}

function findRuntimeLibraries(entries: readonly ArchiveEntry[], name: string): ArchiveEntry[] {
  const found = entries.filter(({ path }) => runtimeLibrary.test(basename(path)));
  const names = new Set(found.map(({ path }) => basename(path)));
  if (found.length === 0 || names.size < found.length)
    throw invalidArchive(`it does not contain the libraries of ${name}`);
  return found;
}

/** Removes packages with libraries of CUDA. */
export async function removeRuntime(folder: string, isUnused: (found: FoundRuntime) => boolean): Promise<void> {
  for (const found of findRuntime(folder).filter(isUnused)) await rm(found.folder, { recursive: true, force: true });
}

/** Removes all versions, and the libraries of CUDA that no other backend needs. Returns what was removed; nothing if it is not installed. */
export async function removeBackend(name: string, folder: string, machine: Machine): Promise<FoundBackend[]> {
  const installed = findBackends({ folder, machine }).filter(({ origin }) => origin === 'installed');
  const removed = chooseRemoved(name, installed);
  for (const backend of removed) await rm(backend.folder, { recursive: true, force: true });
  const remaining = findBackends({ folder, machine }).map((backend) => backend.name);
  const needed = new Set(runtimeOf(remaining.filter(isBackendName), machine).map((runtime) => runtime.name));
  await removeRuntime(folder, (found) => !needed.has(found.name));
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
