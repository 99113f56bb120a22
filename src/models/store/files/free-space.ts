// Free space on a disk.

import { mkdir, statfs } from 'node:fs/promises';

export async function readFreeBytes(folder: string): Promise<number | undefined> {
  await mkdir(folder, { recursive: true });
  const { bavail, bsize, blocks } = await statfs(folder);
  // Some network file systems report zeros.
  return blocks === 0 ? undefined : bavail * bsize;
}
