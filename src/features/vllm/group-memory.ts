// The main memory that the processes of a group do not share with others. Linux only.

import { readdir, readFile } from 'node:fs/promises';

// Fields of /proc/PID/stat after the name in parentheses, which can contain anything.
const groupField = 2;
const pageBytes = 4096;

/** Undefined if unknown. */
export async function measureGroup(group: number): Promise<number | undefined> {
  const names: string[] = process.platform === 'linux' ? await readdir('/proc').catch(() => []) : [];
  const pids = names.filter((name) => /^\d+$/.test(name));
  const sizes = await Promise.all(pids.map((pid) => measureMember(pid, group)));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  return bytes === 0 ? undefined : bytes;
}

/** 0 for a process of another group. */
async function measureMember(pid: string, group: number): Promise<number> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, 'latin1');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    if (Number(fields[groupField]) !== group) return 0;
    const [, resident = '0', shared = '0'] = (await readFile(`/proc/${pid}/statm`, 'latin1')).split(' ');
    return (Number(resident) - Number(shared)) * pageBytes;
  } catch {
    // The process has ended.
    return 0;
  }
}
