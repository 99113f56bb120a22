// Asks pip whether its index has a package.

import { spawnSync } from 'node:child_process';

/** Undefined if the index has the package; otherwise the reason, in pip's words. */
export function whyPipCannotFind(packageName) {
  const question = ['-m', 'pip', 'index', 'versions', '--retries', '1', '--timeout', '10', packageName];
  const { status, stderr, error } = spawnSync('python3', question, { encoding: 'utf8' });
  return status === 0 ? undefined : (error?.message ?? stderr.trim().split('\n').at(-1));
}
