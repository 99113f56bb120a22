// The sandbox of runners: starts a process in it and reads what was applied.

import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { childEnvironment } from '../../../../base/config/child-environment.ts';
import { spawnChild } from '../../../../base/process/spawn-child.ts';
import { packageFiles } from '../../../../server/compose/package-files.ts';
import { type CheckFinding, defineCheck, ok, warning } from '../check.ts';

export interface SandboxFacts {
  readonly platform: string;
  /** HEARTH_SANDBOX. */
  readonly enabled: boolean;
  /** Lines of the launcher: `sandbox: landlock: …`. */
  readonly lines: readonly string[];
}

const maxOutput = 65_536;

export const sandboxCheck = defineCheck<SandboxFacts>({
  name: 'sandbox',
  timeLimit: 20_000,
  async gather({ settings: { sandbox: enabled }, environment, packageFolder }, signal) {
    const { platform } = process;
    const isUsed = enabled && platform === 'linux';
    const { launcher } = packageFiles(packageFolder);
    const settings = { environment: childEnvironment(environment), launcher };
    return { platform, enabled, lines: isUsed ? await launchNothing(settings, signal) : [] };
  },
  judge: judgeSandbox,
});

/** Runs `node --version` in the sandbox. */
async function launchNothing(settings: Parameters<typeof spawnChild>[0], signal: AbortSignal): Promise<string[]> {
  const child = spawnChild(settings, { nodeArgs: ['--version'], read: [], stdio: ['ignore', 'ignore', 'pipe'] });
  const stop = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', stop, { once: true });
  let output = '';
  (child.stderr as Readable).setEncoding('utf8').on('data', (text: string) => {
    if (output.length < maxOutput) output += text;
  });
  try {
    await once(child, 'close');
  } finally {
    signal.removeEventListener('abort', stop);
  }
  return output.split('\n').filter((line) => line.startsWith('sandbox: '));
}

const unavailable = ': not available: ';

export function judgeSandbox({ platform, enabled, lines }: SandboxFacts): CheckFinding[] {
  if (platform !== 'linux') return [ok(`runners are separate processes; there is no sandbox on ${platform}`)];
  if (!enabled)
    return [warning('HEARTH_SANDBOX is off: runners can read files and use the network', 'remove HEARTH_SANDBOX')];
  if (lines.length === 0)
    return [warning('the sandbox did not start', 'run `hearth serve --debug` and look at the lines with sandbox')];
  const missing = lines.filter((line) => line.includes(unavailable)).map((line) => line.replace('sandbox: ', ''));
  if (missing.length === 0) return [ok('Landlock and seccomp restrict runners')];
  return missing.map((line) =>
    warning(line, 'models run without this protection; a newer kernel, or a container that allows it, has it'),
  );
}
