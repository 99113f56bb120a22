// A file that is not there is an answer, not a failure.

import { systemCodeOf } from '../../../base/errors.ts';

export async function orMissing<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    const code = systemCodeOf(error);
    // A name that is too long for the file system cannot be there either.
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') return undefined;
    throw error;
  }
}
