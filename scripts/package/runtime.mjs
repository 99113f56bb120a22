// The Node of an archive: the shipped version from npm, or the one in an archive of nodejs.org.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fetchShippedNode } from '../fetch-node.mjs';

/** The program and the text of its license. `archive` is a path; `folder` is for its files. */
export function findRuntime({ archive, platform, arch, folder }) {
  return archive === undefined
    ? shippedRuntime({ platform, arch, folder })
    : unpackRuntime(archive, { platform, arch, folder });
}

function shippedRuntime({ platform, arch, folder }) {
  const root = fetchShippedNode({ platform, arch, folder });
  if (root === undefined) throw new Error(`for ${platform}-${arch}, name an archive of nodejs.org with --node`);
  return { program: join(root, 'bin', 'node'), license: readFileSync(join(root, 'LICENSE'), 'utf8') };
}

function unpackRuntime(archive, { platform, arch, folder }) {
  const isWindows = platform === 'win32';
  mkdirSync(folder, { recursive: true });
  if (archive.endsWith('.zip')) execFileSync('unzip', ['-q', archive, '-d', folder]);
  else execFileSync('tar', ['-xf', archive, '-C', folder]);
  const [top] = readdirSync(folder);
  if (!top?.endsWith(`-${isWindows ? 'win' : platform}-${arch}`))
    throw new Error(`${archive} is not an archive of Node for ${platform}-${arch}`);
  const root = join(folder, top);
  const program = join(root, isWindows ? 'node.exe' : 'bin/node');
  return { program, license: readFileSync(join(root, 'LICENSE'), 'utf8') };
}
