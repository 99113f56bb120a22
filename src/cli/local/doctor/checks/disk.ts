// Free space for the store, the state and the cache.

import { statfs } from 'node:fs/promises';
import { describeSystemError } from '../../../../base/process/system-error.ts';
import { formatBytes } from '../../../output/format.ts';
import { type CheckFinding, defineCheck, ok, problem, usualTimeLimit, warning } from '../check.ts';
import { type FolderRole, nearestFolder, type ServerFolder, serverFolders } from '../folders.ts';

export interface DiskFacts extends ServerFolder {
  /** Bytes. Absent if the file system does not tell. */
  readonly free?: number;
  readonly total?: number;
  /** Why the figures are not known. */
  readonly failure?: string;
}

const megabyte = 1e6;
// Bytes. Below the first number nothing can be written; below the second one, models and prompts do not fit for long.
const minimums: Readonly<Record<FolderRole, readonly [problem: number, warning: number]>> = {
  store: [100 * megabyte, 5000 * megabyte],
  state: [10 * megabyte, 100 * megabyte],
  cache: [10 * megabyte, 1000 * megabyte],
};

export const diskCheck = defineCheck<readonly DiskFacts[]>({
  name: 'disk',
  timeLimit: usualTimeLimit,
  async gather({ settings }) {
    const facts: DiskFacts[] = [];
    for (const folder of serverFolders(settings)) facts.push({ ...folder, ...(await measure(folder.path)) });
    return facts;
  },
  judge: (facts) => facts.map(judgeDisk),
});

async function measure(path: string): Promise<Omit<DiskFacts, keyof ServerFolder>> {
  try {
    const { bavail, bsize, blocks } = await statfs(await nearestFolder(path));
    // Some network file systems report zeros.
    return blocks === 0 ? {} : { free: bavail * bsize, total: blocks * bsize };
  } catch (error) {
    return { failure: describeSystemError(error) };
  }
}

export function judgeDisk({ role, path, free, total, failure }: DiskFacts): CheckFinding {
  const name = `${role} ${path}`;
  if (failure !== undefined) return problem(`${name}: ${failure}`, nextSteps[role]);
  if (free === undefined) return ok(`${name}: the file system does not say how much is free`);
  const text = `${name}: ${formatBytes(free)} of ${formatBytes(total ?? 0)} free`;
  const [none, little] = minimums[role];
  if (free < none) return problem(text, nextSteps[role]);
  return free < little ? warning(text, nextSteps[role]) : ok(text);
}

const nextSteps: Readonly<Record<FolderRole, string>> = {
  store: 'remove models with `hearth rm`, or choose another folder with HEARTH_MODELS',
  state: 'make room in the home folder',
  cache: 'lower HEARTH_CACHE_SIZE, or choose another folder with HEARTH_CACHE',
};
