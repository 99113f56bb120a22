// The number of threads to compute with, for the runner and for the comparison of load options. Two threads on one physical core slow each other down. More threads than
// processors spin while they wait for each other: five on two were a hundred times slower than one.

import { readFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';

/** At most the number of processors; 0 means one per physical core. */
export function decideThreads(requested: number): number {
  return requested > 0 ? Math.min(requested, availableParallelism()) : ownCores();
}

// Every request asks, and reading the topology takes a millisecond on a busy machine.
let knownCores: number | undefined;

function ownCores(): number {
  knownCores ??= physicalCores();
  return knownCores;
}

export function physicalCores(readSiblings: (cpu: number) => string = readSiblingsFile): number {
  const allowed = availableParallelism();
  try {
    const cores = new Set(cpus().map((_, cpu) => readSiblings(cpu)));
    return Math.max(1, Math.min(cores.size, allowed));
  } catch {
    // Not Linux. Apple's cores have one thread each; on Windows nothing better is known.
    return allowed;
  }
}

function readSiblingsFile(cpu: number): string {
  return readFileSync(`/sys/devices/system/cpu/cpu${cpu}/topology/thread_siblings_list`, 'utf8').trim();
}
