// Error messages for failed writes, with the next step.

import { HearthError, systemCodeOf } from '../../../base/errors.ts';

const otherStore = 'or choose another store with HEARTH_MODELS or --models';

/** Replaces errors that the operator can fix with a clear message; returns others unchanged. */
export function explainDiskError(error: unknown, folder: string): unknown {
  if (error instanceof HearthError) return error;
  const explain = (code: 'disk_full' | 'store_read_only' | 'bad_request', message: string): HearthError =>
    new HearthError(code, message, { cause: error });
  switch (systemCodeOf(error)) {
    case 'ENOSPC':
      return explain(
        'disk_full',
        `the disk of the model store is full. The incomplete file has been removed; free some space and try again.`,
      );
    case 'EDQUOT':
      return explain(
        'disk_full',
        `the disk quota of the model store is exceeded. Delete models or raise the quota, and try again.`,
      );
    case 'EFBIG':
      return explain(
        'disk_full',
        `the file exceeds the maximum file size of the disk of the model store. Raise the limit, ${otherStore}.`,
      );
    case 'EROFS':
      return explain(
        'store_read_only',
        `the store cannot be modified: its disk is read-only. Make the disk writable, ${otherStore}.`,
      );
    case 'EACCES':
    case 'EPERM':
      return explain(
        'store_read_only',
        `the store cannot be modified: no permission to write in its folder. Change its owner or permissions, ${otherStore}.`,
      );
    case 'ENAMETOOLONG':
      return explain('bad_request', 'invalid model name');
    default:
      return explainFolderError(error, folder);
  }
}

function explainFolderError(error: unknown, folder: string): unknown {
  const isMkdir = (error as { syscall?: unknown }).syscall === 'mkdir';
  if (!isMkdir || !['ENOENT', 'ENOTDIR', 'EEXIST'].includes(systemCodeOf(error) ?? '')) return error;
  const message = `the folder ${folder} cannot be created. Check that its parent is a folder on a writable disk, ${otherStore}.`;
  return new HearthError('store_read_only', message, { cause: error });
}

export async function withDiskErrors<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw explainDiskError(error, folder);
  }
}
