// Free space on a disk.

import { statfs } from 'node:fs/promises';
import { makeFolder } from '../../../base/files/make-folder.ts';

export async function readFreeBytes(folder: string): Promise<number | undefined> {
  await makeFolder(folder);
  const { bavail, bsize, blocks } = await statfs(folder);
  // Some network file systems report zeros.
  return blocks === 0 ? undefined : bavail * bsize;
}
