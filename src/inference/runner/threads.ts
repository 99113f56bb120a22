// How many threads to compute with. Two threads on one physical core only get in each other's way; more threads than
// processors wait for each other by spinning, and are a hundred times slower than one (measured: five on two).

import { readFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';

/** As many as wanted, where the machine has processors for them; 0 is one per physical core. */
export function decideThreads(wanted: number): number {
  return wanted > 0 ? Math.min(wanted, availableParallelism()) : physicalCores();
}

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
