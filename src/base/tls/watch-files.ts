// Reports that files have changed. Polls `stat`, because notifications miss files behind symbolic links, which
// certificates usually are.

import { stat } from 'node:fs/promises';
import { systemCodeOf } from '../errors.ts';
import type { Clock, Timer } from '../time/clock.ts';

interface WatchFilesOptions {
  readonly paths: readonly string[];
  readonly clock: Clock;
  readonly intervalMs: number;
  /** The next poll follows its end. Must not reject. */
  readonly onChange: () => Promise<void>;
}

/**
 * A change is reported when two polls in a row find the same, so that several files can be replaced one after the
 * other. Resolves after the first poll, with a function that ends the watch.
 */
export async function watchFiles({ paths, clock, intervalMs, onChange }: WatchFilesOptions): Promise<() => void> {
  const poll = async (): Promise<string> => (await Promise.all(paths.map(describeFile))).join('\n');
  let timer: Timer | undefined;
  let stopped = false;
  let reported = await poll();
  let last = reported;
  const check = async (): Promise<void> => {
    const current = await poll();
    const isStable = current === last;
    last = current;
    if (isStable && current !== reported && !stopped) {
      reported = current;
      await onChange();
    }
    schedule();
  };
  const schedule = (): void => {
    if (!stopped) timer = clock.after(intervalMs, () => void check());
  };
  schedule();
  return () => {
    stopped = true;
    timer?.cancel();
  };
}

async function describeFile(path: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeMs } = await stat(path);
    return [dev, ino, size, mtimeMs].join(' ');
  } catch (error) {
    return systemCodeOf(error) ?? 'unknown';
  }
}
