// Turns "file not found" errors into undefined.

import { lstatSync, type Stats } from 'node:fs';
import { systemCodeOf } from '../errors.ts';

export async function undefinedIfMissing<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Synchronous: for a path in the kernel's cache it takes a microsecond or two, and the thread pool ten times as long. */
export function lstatIfPresent(path: string): Stats | undefined {
  try {
    // Without an exception in the usual case, because its stack trace takes longer than the call.
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  const code = systemCodeOf(error);
  // A file with a name too long for the file system cannot exist.
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG';
}
