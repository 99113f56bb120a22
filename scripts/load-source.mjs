// Imports a TypeScript module of src/, for scripts.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { root } from './setup.mjs';

export async function loadSource(path) {
  const outfile = join(root, 'build', 'scripts', path.replace(/\.ts$/, '.mjs'));
  await build({
    entryPoints: [join(root, 'src', path)],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    outfile,
    logLevel: 'warning',
  });
  return import(pathToFileURL(outfile).href);
}
