// Gets a package of the lockfile for another platform, through npm as it is configured here.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the folder of the package. Throws if it is not the package of the lockfile. */
export function fetchPackage({ name, version, integrity }, folder) {
  const target = join(folder, name.replace('/', '-'));
  mkdirSync(target, { recursive: true });
  const options = ['--json', '--ignore-scripts', '--pack-destination', target];
  const [{ filename }] = JSON.parse(
    execFileSync('npm', ['pack', `${name}@${version}`, ...options], { encoding: 'utf8' }),
  );
  const file = join(target, filename);
  const [algorithm] = integrity.split('-', 1);
  const found = `${algorithm}-${createHash(algorithm).update(readFileSync(file)).digest('base64')}`;
  if (found !== integrity) throw new Error(`${name}@${version} is not the package of the lockfile`);
  execFileSync('tar', ['-xzf', file, '-C', target]);
  return join(target, 'package');
}
