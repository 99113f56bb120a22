// Caches values derived from files and folders until these change. The check uses a synchronous lstat: for a path in
// the kernel's cache it takes a microsecond or two, and the thread pool takes ten times as long. The caller reads new
// files asynchronously.

import { lstatSync, type Stats } from 'node:fs';
import type { Clock } from '../../../base/time/clock.ts';

interface FileCache<T> {
  /** The cached value if the file has not changed since. */
  get(path: string): { readonly value: T; readonly info: Stats } | undefined;
  /** `info` must have been taken before the file was read. */
  set(path: string, info: Stats, value: T): void;
  delete(path: string): void;
}

// File times have a resolution of a few milliseconds, two seconds on some file systems. A file that changed this
// recently could change again with the same time.
const settlingTime = 3000;

export function createFileCache<T>(clock: Clock): FileCache<T> {
  const entries = new Map<string, { readonly seen: Fingerprint; readonly value: T }>();
  return {
    get(path) {
      const entry = entries.get(path);
      if (entry === undefined) return undefined;
      const info = readStats(path);
      if (info !== undefined && isSame(info, entry.seen)) return { value: entry.value, info };
      entries.delete(path);
      return undefined;
    },
    set(path, info, value) {
      if (clock.now() - Math.max(info.mtimeMs, info.ctimeMs) < settlingTime) return;
      const { ino, size, mtimeMs, ctimeMs } = info;
      entries.set(path, { seen: { ino, size, mtimeMs, ctimeMs }, value });
    },
    delete: (path) => void entries.delete(path),
  };
}

function readStats(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** A request compares several of them: numbers, because a text would be made for each comparison. */
type Fingerprint = Pick<Stats, 'ino' | 'size' | 'mtimeMs' | 'ctimeMs'>;

function isSame(one: Fingerprint, other: Fingerprint): boolean {
  return (
    one.ino === other.ino && one.size === other.size && one.mtimeMs === other.mtimeMs && one.ctimeMs === other.ctimeMs
  );
}
