// Turns "file not found" errors into undefined.

import { systemCodeOf } from '../../../base/errors.ts';

export async function undefinedIfMissing<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    const code = systemCodeOf(error);
    // A file with a name too long for the file system cannot exist.
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') return undefined;
    throw error;
  }
}
