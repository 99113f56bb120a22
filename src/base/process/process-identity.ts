// Identifies processes and checks whether they still run. A process id alone is not enough: ids are reused, and after a
// reboot or in a container a process often gets the same id again.

import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { systemCodeOf } from '../errors.ts';

export interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** Only processes with the same value can see whether the other one is alive. */
  readonly pidNamespace: string;
  /** Comparable only on this system, whose unit it has. Empty if the system does not report it. */
  readonly startTime: string;
}

/** For a process in the same PID namespace. */
export function identityOf(pid: number): ProcessIdentity {
  return { pid, host: hostname(), pidNamespace: ownPidNamespace(), startTime: readStartTime(pid) ?? '' };
}

/** Undefined if this cannot be determined. */
export function isRunning(other: ProcessIdentity): boolean | undefined {
  if (other.pidNamespace !== ownPidNamespace()) return undefined;
  if (!isProcessAlive(other.pid)) return false;
  if (other.startTime !== '') return readStartTime(other.pid) === other.startTime;
  // The id is in use, possibly by an unrelated process. If it is our own, the other process has ended.
  return other.pid === process.pid ? false : undefined;
}

export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists but belongs to another user.
    return systemCodeOf(error) === 'EPERM';
  }
}

// On Linux: the boot ID and the PID namespace of this container.
function ownPidNamespace(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

function readStartTime(pid: number): string | undefined {
  try {
    // "123 (name) S 1 …": the 22nd field. The name may contain anything, so count from its closing parenthesis.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie has ended. Its entry stays until its parent asks, which the first process of a container may never do.
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

/** Undefined if the system does not report it. */
export function readBootId(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return undefined;
  }
}
