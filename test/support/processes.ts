// Inspects processes (Linux).

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Whether a process is running. Zombies are not. */
export function isAlive(pid: number): boolean {
  return statOf(pid)?.state !== undefined && statOf(pid)?.state !== 'Z';
}

/** The process ids of the children of a process. */
export function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((candidate) => statOf(candidate)?.parent === pid && isAlive(candidate));
}

function statOf(pid: number): { readonly state: string; readonly parent: number } | undefined {
  try {
    // "123 (name) S 1 …": the name can contain anything, so start at its closing parenthesis.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state = '', parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state, parent: Number(parent) };
  } catch {
    return undefined;
  }
}

/** The command line of a process, separated by spaces; empty if it has ended. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

/** Resident memory in bytes. */
export function residentBytes(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1] ?? 0) * 1024;
}

/** Milliseconds of processor time of the main thread. 0 where the system does not say. */
export function threadTimeMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6;
  } catch {
    return 0;
  }
}

/** Processor time of all threads of a process. Only Linux shows it. */
export function processorTimeMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
  const millisecondsPerTick = 10;
  return (Number(fields[11]) + Number(fields[12])) * millisecondsPerTick;
}

/** The number of open files without TCP sockets: how many connections the clients keep alive is their decision. */
export function openFiles(pid: number): number {
  const connections = readFileSync(`/proc/${pid}/net/tcp`, 'utf8').trim().split('\n');
  const sockets = new Set(connections.map((line) => `socket:[${line.trim().split(/\s+/)[9]}]`));
  return readdirSync(`/proc/${pid}/fd`).filter((name) => !sockets.has(linkTarget(`/proc/${pid}/fd/${name}`))).length;
}

function linkTarget(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ''; // Closed since the folder was read.
  }
}

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
