// Error messages for failed writes.

import { HearthError, systemCodeOf } from '../../../base/errors.ts';

/** Replaces errors that the operator can fix with a clear message; returns others unchanged. */
export function explainDiskError(error: unknown, folder: string): unknown {
  switch (systemCodeOf(error)) {
    case 'ENOSPC':
      return new HearthError(
        'disk_full',
        `the disk is full: no space left in ${folder}. The incomplete file has been removed; free some space and try again.`,
        { cause: error },
      );
    case 'EDQUOT':
      return new HearthError('disk_full', `the disk quota is exceeded: cannot write to ${folder}`, {
        cause: error,
      });
    case 'EFBIG':
      return new HearthError('disk_full', `the file exceeds the maximum file size in ${folder}`, { cause: error });
    case 'EROFS':
      return new HearthError('store_read_only', `the store cannot be modified: ${folder} is read-only`, {
        cause: error,
      });
    case 'ENAMETOOLONG':
      return new HearthError('bad_request', 'invalid model name', { cause: error });
    default:
      return error;
  }
}
