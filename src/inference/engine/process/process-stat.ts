// What the kernel tells about another process. Only Linux has it in a file.

import { readFileSync } from 'node:fs';

// After the name in parentheses, which can contain anything.
const stateField = 0;
const userTimeField = 11;
const systemTimeField = 12;

/** Processor time in clock ticks; undefined if unknown. */
export function cpuTimeOf(pid: number): number | undefined {
  const fields = readStat(pid);
  const ticks = Number(fields[userTimeField]) + Number(fields[systemTimeField]);
  return Number.isFinite(ticks) ? ticks : undefined;
}

/** Whether a signal has stopped it, as SIGSTOP does. A process that waits or computes is not stopped. */
export function isStopped(pid: number): boolean {
  return readStat(pid)[stateField] === 'T';
}

function readStat(pid: number): readonly string[] {
  if (process.platform !== 'linux') return [];
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}
