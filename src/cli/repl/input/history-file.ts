// The input history file: one entry per line, with \\ for a backslash and \n for a line break.
//
// Several sessions can write to it at once: each entry is a single append. A file that exceeds the limit is renamed to
// `<name>.1`. A lock ensures that only one session renames it. Only the owner can read the files.

import { chmod, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemCodeOf } from '../../../base/errors.ts';
import type { Clock } from '../../../base/time/clock.ts';

interface HistoryOptions {
  /** undefined: nothing is saved. */
  readonly path: string | undefined;
  readonly clock: Clock;
  readonly limits?: { readonly entries: number; readonly fileBytes: number };
}

const defaultLimits = { entries: 1000, fileBytes: 512 * 1024 };
const maxEntry = 64 * 1024;
/** A lock that is older must have been left by a killed session. */
const staleLockMs = 60_000;

export async function openHistory({ path, clock, limits = defaultLimits }: HistoryOptions) {
  const older = path === undefined ? '' : await readText(`${path}.1`, limits.fileBytes * 2);
  const newer = path === undefined ? '' : await readText(path, limits.fileBytes * 2);
  let entries = decode(older + newer).slice(-limits.entries);

  return {
    /** Oldest first, including the entries of this session. */
    entries: (): readonly string[] => entries,
    /** Adds an entry, and saves it to the file if `isKept`. Errors of the file system are ignored. */
    async add(entry: string, isKept: boolean = true): Promise<void> {
      if (entry.trim() === '' || entry === entries.at(-1)) return;
      entries = [...entries, entry].slice(-limits.entries);
      if (path === undefined || !isKept || entry.length > maxEntry) return;
      try {
        await append(path, `${encode(entry)}\n`);
        await rotate(path, { clock, limit: limits.fileBytes });
      } catch {
        // The disk is full or not writable; the entry stays in memory.
      }
    },
  };
}

export type History = Awaited<ReturnType<typeof openHistory>>;

const encode = (entry: string): string => entry.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');

function decode(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && line.length <= 2 * maxEntry)
    .map((line) => line.replace(/\\(n|\\)/g, (_, letter) => (letter === 'n' ? '\n' : '\\')));
}

async function readText(path: string, limit: number): Promise<string> {
  try {
    const { size, mode } = await stat(path);
    if ((mode & 0o077) !== 0) await chmod(path, 0o600);
    if (size > limit) return '';
    return await readFile(path, 'utf8');
  } catch {
    return '';
  }
}

async function append(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(path, 'a', 0o600);
  try {
    await file.write(Buffer.from(text));
  } finally {
    await file.close();
  }
}

async function rotate(path: string, { clock, limit }: { clock: Clock; limit: number }): Promise<void> {
  if ((await stat(path)).size <= limit) return;
  const lock = `${path}.lock`;
  if (!(await takeLock(lock, clock))) return;
  try {
    // Another session may have renamed the file before this one got the lock.
    if ((await stat(path)).size > limit) await rename(path, `${path}.1`);
  } finally {
    await rm(lock, { force: true });
  }
}

async function takeLock(lock: string, clock: Clock): Promise<boolean> {
  try {
    await (await open(lock, 'wx', 0o600)).close();
    return true;
  } catch (error) {
    if (systemCodeOf(error) !== 'EEXIST') return false;
    // Removed here, acquired by the next entry.
    const { mtimeMs } = await stat(lock);
    if (clock.now() - mtimeMs > staleLockMs) await rm(lock, { force: true });
    return false;
  }
}
