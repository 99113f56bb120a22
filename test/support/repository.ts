// Paths in the repository. Tests and benchmarks run in its root; benchmarks run as a bundle in another folder.

import { join } from 'node:path';

export function repository(path: string): string {
  return join(process.cwd(), path);
}
