// The processor time that a process has used, with all of its threads. Only Linux has it in files.

import { readdirSync, readFileSync } from 'node:fs';

/** Returns milliseconds; NaN if unknown. Threads that have ended do not count. */
export function processorTimeOf(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN;
  const folder = `/proc/${pid}/task`;
  const nanoseconds = readdirSync(folder).map((thread) =>
    Number(readFileSync(`${folder}/${thread}/schedstat`, 'latin1').split(' ', 1)[0]),
  );
  return nanoseconds.reduce((sum, value) => sum + value, 0) / 1e6;
}
