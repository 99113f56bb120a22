// How many threads to compute with. Two threads on one physical core only get in each other's way.

import { readFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';

export function physicalCores(readSiblings: (cpu: number) => string = readSiblingsFile): number {
  const allowed = availableParallelism();
  try {
    const cores = new Set(cpus().map((_, cpu) => readSiblings(cpu)));
    return Math.max(1, Math.min(cores.size, allowed));
  } catch {
    // Not Linux: Apple's cores have one thread each, and elsewhere this is the best that is known.
    return allowed;
  }
}

function readSiblingsFile(cpu: number): string {
  return readFileSync(`/sys/devices/system/cpu/cpu${cpu}/topology/thread_siblings_list`, 'utf8').trim();
}
