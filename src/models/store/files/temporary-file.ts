// Names of files that are being written. They begin with a dot, so that none can be taken for a blob or a tag, and say
// which process writes them, so that what a killed one left behind is known as such.
//
//   .hearth-<process id>-<a life of that process>-<random>

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { isProcessAlive } from './process-identity.ts';

// In a container every start has the same process id.
const thisLife = randomBytes(4).toString('hex');
const pattern = /^\.hearth-(\d+)-([0-9a-f]{8})-[0-9a-f]{16}$/;

export function temporaryPath(folder: string): string {
  return join(folder, `.hearth-${process.pid}-${thisLife}-${randomBytes(8).toString('hex')}`);
}

/** Also those of earlier versions, which did not say who writes them. */
export function isTemporaryName(name: string): boolean {
  return name.startsWith('.hearth-');
}

export interface TemporaryFile {
  readonly name: string;
  /** Milliseconds since it was last written to. */
  readonly age: number;
  /** At this age it is abandoned, whoever wrote it. */
  readonly oldest: number;
}

export function isAbandoned({ name, age, oldest }: TemporaryFile): boolean {
  const [, pid, life] = pattern.exec(name) ?? [];
  if (pid === undefined) return age >= oldest;
  // Ours are removed by whoever writes them, however long that takes.
  if (Number(pid) === process.pid) return life !== thisLife;
  return age >= oldest || !isProcessAlive(Number(pid));
}
