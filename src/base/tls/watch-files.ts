// Reports that files have changed. It compares what `stat` says now and then, because notifications miss files behind
// symbolic links, which certificates usually are.

import { stat } from 'node:fs/promises';
import { systemCodeOf } from '../errors.ts';
import type { Clock, Timer } from '../time/clock.ts';

interface WatchFilesOptions {
  readonly paths: readonly string[];
  readonly clock: Clock;
  /** Milliseconds. */
  readonly interval: number;
  /** The next look follows its end. It must not reject. */
  readonly onChange: () => Promise<void>;
}

/**
 * A change is reported when the files were the same in two looks, so that several files can be replaced one after the
 * other. Resolves after the first look, with a function that ends the watch.
 */
export async function watchFiles({ paths, clock, interval, onChange }: WatchFilesOptions): Promise<() => void> {
  const look = async (): Promise<string> => (await Promise.all(paths.map(describeFile))).join('\n');
  let timer: Timer | undefined;
  let stopped = false;
  let reported = await look();
  let last = reported;
  const check = async (): Promise<void> => {
    const current = await look();
    const isStable = current === last;
    last = current;
    if (isStable && current !== reported && !stopped) {
      reported = current;
      await onChange();
    }
    schedule();
  };
  const schedule = (): void => {
    if (!stopped) timer = clock.after(interval, () => void check());
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
