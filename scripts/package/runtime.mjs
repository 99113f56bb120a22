// The Node of an archive: the one that runs this script, or the one in an archive of nodejs.org.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

// Next to official builds, and in packages of Debian and Red Hat.
const licensePaths = [
  '../LICENSE',
  '../share/doc/nodejs/LICENSE',
  '../share/doc/node/LICENSE',
  '../share/licenses/node/LICENSE',
];

/** The program and the text of its license. `archive` is a path; `folder` is for its files. */
export function findRuntime({ archive, platform, arch, folder }) {
  return archive === undefined ? thisRuntime(platform, arch) : unpackRuntime(archive, { platform, arch, folder });
}

function thisRuntime(platform, arch) {
  if (platform !== process.platform || arch !== process.arch)
    throw new Error('for another platform, name its archive of nodejs.org with --node');
  const shared = Object.entries(process.config.variables).filter(
    ([name, value]) => /^node_shared/.test(name) && value === true,
  );
  if (shared.length > 0)
    throw new Error(
      `this Node needs libraries of the system (${shared.map(([name]) => name).join(', ')}); name an archive of nodejs.org with --node`,
    );
  const paths = licensePaths.map((path) => join(dirname(process.execPath), path));
  const license = paths.find((path) => existsSync(path));
  if (license === undefined)
    throw new Error('the license of this Node was not found; name an archive of nodejs.org with --node');
  return { program: process.execPath, license: readFileSync(license, 'utf8') };
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
