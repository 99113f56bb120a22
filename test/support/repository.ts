// Paths in the repository. Tests and benchmarks run in its root, but not always from their own source files.

import { join } from 'node:path';

export function repository(path: string): string {
  return join(process.cwd(), path);
}
