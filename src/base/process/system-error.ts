// Sentences for errors of the operating system, whose own messages are codes and C function names.

import { messageOf, systemCodeOf } from '../errors.ts';

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EISDIR: 'it is a folder',
  EEXIST: 'it exists already',
  EACCES: 'no permission',
  EPERM: 'no permission',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is exceeded',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'too many symbolic links',
  EMFILE: 'too many open files',
  EIO: 'the disk failed',
};

/** Why a file operation failed, to be put after a colon. */
export function describeSystemError(error: unknown): string {
  return reasons[systemCodeOf(error) ?? ''] ?? messageOf(error);
}
