// Reports the size of the largest file in a folder while another process writes it.

import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Timer } from '../../base/time/clock.ts';

const intervalMs = 200;
// npm's cache has a handful of files.
const maxEntries = 1000;

export function watchGrowth(
  folder: string,
  clock: Clock,
  onBytes: (bytes: number) => void,
): { readonly stop: () => Promise<void> } {
  let stopped = false;
  let timer: Timer | undefined;
  let last = 0;
  let looking: Promise<void> = Promise.resolve();
  const look = async (): Promise<void> => {
    const bytes = await largestFile(folder);
    if (stopped) return;
    if (bytes > last) onBytes(bytes);
    last = Math.max(last, bytes);
    wait();
  };
  const wait = (): void => {
    timer = clock.after(intervalMs, () => {
      looking = look();
    });
  };
  wait();
  return {
    async stop() {
      stopped = true;
      timer?.cancel();
      await looking;
    },
  };
}

async function largestFile(folder: string): Promise<number> {
  // Files come and go meanwhile.
  const entries: Dirent[] = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  let largest = 0;
  for (const entry of entries.slice(0, maxEntries)) {
    if (!entry.isFile()) continue;
    const info = await stat(join(entry.parentPath ?? entry.path, entry.name)).catch(() => undefined);
    largest = Math.max(largest, info?.size ?? 0);
  }
  return largest;
}
