// Bundles a program of test/fixtures that uses modules of src/, so that it can run as a process.

import { build } from 'esbuild';
import { repository } from './repository.ts';

/** Returns the path of the script. */
export async function bundleFixture(name: string): Promise<string> {
  const outfile = repository(`build/fixtures/${name}.mjs`);
  await build({
    entryPoints: [repository(`test/fixtures/${name}.ts`)],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    outfile,
    logLevel: 'warning',
  });
  return outfile;
}
