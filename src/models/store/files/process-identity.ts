// Which process this is, and whether another one still runs. A process id alone says little: ids are given out anew,
// after a restart of the machine or in a container even the same ones.

import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { systemCodeOf } from '../../../base/errors.ts';

export interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** Processes with the same text here can see each other; others cannot tell whether the other one lives. */
  readonly neighbourhood: string;
  /** When the process began, in a unit of the system's own; empty where the system does not say. */
  readonly born: string;
}

/** Of a process that can be seen from here. */
export function identityOf(pid: number): ProcessIdentity {
  return { pid, host: hostname(), neighbourhood: ownNeighbourhood(), born: bornAt(pid) ?? '' };
}

/** Undefined when it cannot be seen from here. */
export function isRunning(other: ProcessIdentity): boolean | undefined {
  if (other.neighbourhood !== ownNeighbourhood()) return undefined;
  if (!isProcessAlive(other.pid)) return false;
  if (other.born !== '') return bornAt(other.pid) === other.born;
  // The id is in use, perhaps by somebody else; our own id is certainly not that other process.
  return other.pid === process.pid ? false : undefined;
}

export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It exists, but belongs to somebody else.
    return systemCodeOf(error) === 'EPERM';
  }
}

// On Linux the kernel's name for this run of the machine, and this container's table of processes.
function ownNeighbourhood(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

function bornAt(pid: number): string | undefined {
  try {
    // "123 (name) S 1 …": the name may hold anything, so count from its closing parenthesis. The 22nd field.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
