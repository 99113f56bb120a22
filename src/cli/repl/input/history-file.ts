// What was typed, kept from one run to the next. One entry a line, with \\ for a backslash and \n for a line break.
//
// Several sessions write to it at once: every entry is one append, which systems carry out whole. When the file has
// grown it becomes `<name>.1`, and a new one begins; a lock lets only one session do that, so that none overwrites what
// another has just put aside. Only the person who typed may read them.

import { chmod, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemCodeOf } from '../../../base/errors.ts';
import type { Clock } from '../../../base/time/clock.ts';

export interface History {
  /** Oldest first, with what this session has added. */
  readonly entries: () => readonly string[];
  /**
   * For this session, and for later ones if it is to be kept. Resolves when it is on disk, or cannot be put there: a
   * history is never worth an error.
   */
  add(entry: string, isKept?: boolean): Promise<void>;
}

export interface HistoryOptions {
  /** undefined: nothing is kept. */
  readonly path: string | undefined;
  readonly clock: Clock;
  readonly limits?: { readonly entries: number; readonly fileBytes: number };
}

const usualLimits = { entries: 1000, fileBytes: 512 * 1024 };
const maxEntry = 64 * 1024;
/** Nobody takes that long to rename a file: the lock was left by a session that was killed. */
const lockIsStale = 60_000;

export async function openHistory({ path, clock, limits = usualLimits }: HistoryOptions): Promise<History> {
  const older = path === undefined ? '' : await readText(`${path}.1`, limits.fileBytes * 2);
  const newer = path === undefined ? '' : await readText(path, limits.fileBytes * 2);
  let entries = decode(older + newer).slice(-limits.entries);

  return {
    entries: () => entries,
    async add(entry, isKept = true) {
      if (entry.trim() === '' || entry === entries.at(-1)) return;
      entries = [...entries, entry].slice(-limits.entries);
      if (path === undefined || !isKept || entry.length > maxEntry) return;
      try {
        await append(path, `${encode(entry)}\n`);
        await putAside(path, { clock, limit: limits.fileBytes });
      } catch {
        // A full disk or a folder that cannot be written to: this session still has it.
      }
    },
  };
}

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

async function putAside(path: string, { clock, limit }: { clock: Clock; limit: number }): Promise<void> {
  if ((await stat(path)).size <= limit) return;
  const lock = `${path}.lock`;
  if (!(await takeLock(lock, clock))) return;
  try {
    // Looked at again: another session may have done it while this one came by the lock.
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
    // Removed now, taken by the next who comes.
    const { mtimeMs } = await stat(lock);
    if (clock.now() - mtimeMs > lockIsStale) await rm(lock, { force: true });
    return false;
  }
}
