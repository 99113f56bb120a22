// What was read of a file or folder, for as long as it is the same one. Asking the file system whether it is the same
// is done in place: for what was looked at before this takes a microsecond or two, and sending the question to another
// thread takes ten times as long. What is new is for the caller to read without blocking.

import { lstatSync, type Stats } from 'node:fs';
import type { Clock } from '../../../base/time/clock.ts';

export interface FileMemory<T> {
  /** What was remembered, when the file has not changed since. */
  recall(path: string): { readonly value: T; readonly info: Stats } | undefined;
  /** `info` must be older than the reading that led to the value. */
  remember(path: string, info: Stats, value: T): void;
  forget(path: string): void;
}

// Times of files have steps of a few milliseconds, of two seconds on some disks. A file that changed this recently could
// change once more without showing it.
const settlingTime = 3000;

export function createFileMemory<T>(clock: Clock): FileMemory<T> {
  const known = new Map<string, { readonly mark: string; readonly value: T }>();
  return {
    recall(path) {
      const entry = known.get(path);
      if (entry === undefined) return undefined;
      const info = lookAt(path);
      if (info !== undefined && markOf(info) === entry.mark) return { value: entry.value, info };
      known.delete(path);
      return undefined;
    },
    remember(path, info, value) {
      if (clock.now() - Math.max(info.mtimeMs, info.ctimeMs) < settlingTime) return;
      known.set(path, { mark: markOf(info), value });
    },
    forget: (path) => void known.delete(path),
  };
}

function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function markOf({ ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
}
