// Small files of the kernel.

import { readFile } from 'node:fs/promises';

/** Undefined if it cannot be read: not every system has it. */
export async function readTextFile(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}
