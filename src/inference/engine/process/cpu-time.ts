// The processor time of another process. Only Linux has it in a file.

import { readFileSync } from 'node:fs';

// After the name in parentheses, which can contain anything.
const userTimeField = 11;
const systemTimeField = 12;

/** In clock ticks; undefined if unknown. */
export function cpuTimeOf(pid: number): number | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[userTimeField]) + Number(fields[systemTimeField]);
    return Number.isFinite(ticks) ? ticks : undefined;
  } catch {
    return undefined;
  }
}
