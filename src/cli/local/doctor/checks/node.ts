// Node: its version, and whether it is the build for this processor.

import { readFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { type CheckFinding, defineCheck, ok, problem, usualTimeLimit, warning } from '../check.ts';

export interface NodeFacts {
  readonly hearth: string;
  readonly version: string;
  /** The oldest version that works. */
  readonly oldest: string;
  readonly platform: string;
  readonly arch: string;
  readonly processor: string;
}

export const nodeCheck = defineCheck<NodeFacts>({
  name: 'node',
  timeLimit: usualTimeLimit,
  async gather({ version, packageFolder }) {
    const { engines } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8')) as {
      readonly engines: { readonly node: string };
    };
    return {
      hearth: version,
      version: process.versions.node,
      oldest: engines.node.replace('>=', ''),
      platform: process.platform,
      arch: process.arch,
      processor: cpus()[0]?.model ?? '',
    };
  },
  judge: judgeNode,
});

export function judgeNode({ hearth, version, oldest, platform, arch, processor }: NodeFacts): CheckFinding[] {
  const text = `Hearth ${hearth} with Node ${version} on ${platform} ${arch}`;
  if (isOlder(version, oldest)) return [problem(text, `install Node ${oldest} or later`)];
  if (platform === 'darwin' && arch === 'x64' && processor.startsWith('Apple'))
    return [warning(`${text}, which is emulated and slow here`, 'install Node for arm64')];
  return [ok(text)];
}

function isOlder(version: string, oldest: string): boolean {
  const numbers = version.split('.').map(Number);
  for (const [index, wanted] of oldest.split('.').map(Number).entries()) {
    const number = numbers[index] ?? 0;
    if (number !== wanted) return number < wanted;
  }
  return false;
}
