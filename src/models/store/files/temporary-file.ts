// Names of files that are being written. They start with a dot, so that none can be mistaken for a blob or a tag, and
// contain the id of the writing process, so that leftovers of a killed process are recognized.
//
//   .hearth-<process id>-<process instance>-<random>

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { isProcessAlive } from '../../../base/process/process-identity.ts';

// In a container, the process has the same id after every start.
const instanceId = randomBytes(4).toString('hex');
const pattern = /^\.hearth-(\d+)-([0-9a-f]{8})-[0-9a-f]{16}$/;

export function temporaryPath(folder: string): string {
  return join(folder, `.hearth-${process.pid}-${instanceId}-${randomBytes(8).toString('hex')}`);
}

/** Includes names of earlier versions, which had no process id. */
export function isTemporaryName(name: string): boolean {
  return name.startsWith('.hearth-');
}

interface TemporaryFile {
  readonly name: string;
  /** Milliseconds since it was last written to. */
  readonly age: number;
  /** At this age a file of another process is abandoned. */
  readonly maxAge: number;
}

export function isAbandoned({ name, age, maxAge }: TemporaryFile): boolean {
  const [, pid, instance] = pattern.exec(name) ?? [];
  if (pid === undefined) return age >= maxAge;
  // The writer in this process removes its own file, however long it takes.
  if (Number(pid) === process.pid) return instance !== instanceId;
  return age >= maxAge || !isProcessAlive(Number(pid));
}
