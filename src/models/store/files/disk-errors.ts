// What the disk says when it will not take any more, in sentences for people.

import { HearthError, systemCodeOf } from '../../../base/errors.ts';

/** The error as it is, unless it is one that the person who runs the server has to do something about. */
export function explainDiskError(error: unknown, folder: string): unknown {
  switch (systemCodeOf(error)) {
    case 'ENOSPC':
      return new HearthError(
        'disk_full',
        `the disk is full: there is no space left in ${folder}. What was written of this file has been removed; make room and try again.`,
        { cause: error },
      );
    case 'EDQUOT':
      return new HearthError('disk_full', `the disk quota is used up: no more can be written to ${folder}`, {
        cause: error,
      });
    case 'EFBIG':
      return new HearthError('disk_full', `the file is larger than may be written to ${folder}`, { cause: error });
    case 'EROFS':
      return new HearthError('store_read_only', `the store cannot be changed: ${folder} is read-only`, {
        cause: error,
      });
    case 'ENAMETOOLONG':
      return new HearthError('bad_request', 'invalid model name', { cause: error });
    default:
      return error;
  }
}
