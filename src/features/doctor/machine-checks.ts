// Node, the settings, memory, limits of the operating system, and the sandbox.

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { availableParallelism, cpus, freemem, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { childEnvironment } from '../../base/config/child-environment.ts';
import { parseLimit, parseProcessLimits } from '../../base/process/process-limits.ts';
import { spawnChild } from '../../base/process/spawn-child.ts';
import { formatByteSize } from '../../cli/output/format.ts';
import { packageFiles } from '../../server/compose/package-files.ts';
import { environmentNames, settingKeys } from '../../settings/setting-table.ts';
import { type Check, type CheckFinding, ok, problem, warning } from '../check.ts';

export const machineChecks: readonly Check[] = [
  {
    name: 'node',
    async run({ version: hearth, packageFolder }) {
      const { engines } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8'));
      const { platform, arch, versions } = process;
      const oldest = engines.node.replace('>=', '');
      return [judgeNode({ hearth, version: versions.node, oldest, platform, arch, processor: cpus()[0]?.model ?? '' })];
    },
  },
  {
    name: 'settings',
    async run({ settingProblems: problems, settingWarnings: warnings, environment }) {
      const names = ['HEARTH_CONFIG', 'HEARTH_API_KEY', ...settingKeys.flatMap(environmentNames)];
      return judgeSettings({ problems, warnings, given: names.filter((name) => (environment[name] ?? '') !== '') });
    },
  },
  {
    name: 'memory',
    async run({ settings: { memoryBudget: budget } }) {
      // Larger than all memory if there is no limit, 0 if it is unknown.
      const limit = process.constrainedMemory() || undefined;
      return [judgeMemory({ total: totalmem(), available: freemem(), limit, budget })];
    },
  },
  {
    name: 'limits',
    async run() {
      const [limits, pids, quota] = await Promise.all(
        ['/proc/self/limits', '/sys/fs/cgroup/pids.max', '/sys/fs/cgroup/cpu.max'].map((path) =>
          readFile(path, 'utf8').catch(() => ''),
        ),
      );
      const user = parseProcessLimits(limits ?? '');
      const processes = Math.min(...[user.processes, parseLimit(pids)].map((limit) => limit ?? Number.MAX_VALUE));
      return judgeLimits({
        ...user,
        processes,
        processorQuota: parseProcessorQuota(quota ?? ''),
        processors: availableParallelism(),
      });
    },
  },
  {
    name: 'sandbox',
    timeLimitMs: 20_000,
    async run({ settings: { sandbox: enabled }, environment, packageFolder }, signal) {
      const { platform } = process;
      if (!enabled || platform !== 'linux') return judgeSandbox({ platform, enabled, lines: [] });
      const { launcher } = packageFiles(packageFolder);
      const lines = await launchNothing({ environment: childEnvironment(environment), launcher }, signal);
      return judgeSandbox({ platform, enabled, lines });
    },
  },
];

interface NodeFacts {
  readonly hearth: string;
  readonly version: string;
  /** The oldest version that works. */
  readonly oldest: string;
  readonly platform: string;
  readonly arch: string;
  readonly processor: string;
}

export function judgeNode({ hearth, version, oldest, platform, arch, processor }: NodeFacts): CheckFinding {
  const text = `Hearth ${hearth} with Node ${version} on ${platform} ${arch}`;
  if (isOlder(version, oldest)) return problem(text, `install Node ${oldest} or later`);
  if (platform === 'darwin' && arch === 'x64' && processor.startsWith('Apple'))
    return warning(`${text}, which is emulated and slow here`, 'install Node for arm64');
  return ok(text);
}

function isOlder(version: string, oldest: string): boolean {
  const wanted = oldest.split('.').map(Number);
  const numbers = version.split('.').map(Number);
  const index = wanted.findIndex((number, position) => number !== numbers[position]);
  return index !== -1 && (numbers[index] ?? 0) < (wanted[index] ?? 0);
}

interface SettingsFacts {
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
  /** Names of variables that are set. Values are not shown. */
  readonly given: readonly string[];
}

export function judgeSettings({ problems, warnings, given }: SettingsFacts): CheckFinding[] {
  return [
    ...problems.map((text) => problem(text, 'correct the value; docs/reference/settings.md lists all settings')),
    ...warnings.map((text) => warning(text, 'correct or remove the variable')),
    ok(given.length === 0 ? 'no variables are set' : `set by variables: ${given.join(', ')}`),
  ];
}

// Ember with its smallest context needs this much.
const minUsableBytes = 0.5e9;
const minComfortableBytes = 2e9;

interface MemoryFacts {
  readonly total: number;
  readonly available: number;
  /** The container's limit. */
  readonly limit?: number;
  /** HEARTH_MEMORY_BUDGET; 0 is automatic. */
  readonly budget: number;
}

export function judgeMemory({ total, available, limit = total, budget }: MemoryFacts): CheckFinding {
  const usable = Math.min(total, limit);
  const limitText = limit < total ? `, the limit of the container is ${formatByteSize(limit)}` : '';
  const text = `${formatByteSize(total)}, ${formatByteSize(available)} available${limitText}`;
  if (usable < minUsableBytes) return problem(text, 'models need at least 500 MB: give the machine or container more');
  if (budget > usable)
    return warning(
      `${text}; HEARTH_MEMORY_BUDGET is ${formatByteSize(budget)}, which is more`,
      'lower HEARTH_MEMORY_BUDGET, or remove it',
    );
  if (Math.min(available, usable) < minComfortableBytes)
    return warning(text, 'only small models fit: close programs, or unload models with `hearth stop`');
  return ok(text);
}

interface LimitFacts extends ReturnType<typeof parseProcessLimits> {
  /** How many processors' time the container may use. */
  readonly processorQuota?: number;
  readonly processors: number;
}

/** `150000 100000`: microseconds of use and of the period. */
export function parseProcessorQuota(text: string): number | undefined {
  const [quota, period = 1] = text.trim().split(' ').map(parseLimit);
  return quota === undefined ? undefined : quota / period;
}

// A server with hundreds of connections and runners needs a few thousand files.
const minOpenFiles = 4096;
const minProcesses = 256;

export function judgeLimits({
  openFiles,
  addressSpace,
  processes,
  processorQuota,
  processors,
}: LimitFacts): CheckFinding[] {
  const findings: CheckFinding[] = [];
  if (openFiles !== undefined && openFiles < minOpenFiles) {
    const nextStep = 'raise it with `ulimit -n 65536`, or LimitNOFILE in a service';
    findings.push(warning(`a process may open only ${openFiles} files`, nextStep));
  }
  if (addressSpace !== undefined)
    findings.push(warning('the address space is limited, but models are mapped into it', 'run `ulimit -v unlimited`'));
  if (processes !== undefined && processes < minProcesses) {
    const nextStep = 'raise `ulimit -u` or the pids limit of the container';
    findings.push(warning(`only ${processes} processes and threads are allowed`, nextStep));
  }
  const files = openFiles === undefined ? 'open files: no limit is known' : `open files: ${openFiles}`;
  const share = processorQuota === undefined ? '' : `, of which the container may use ${processorQuota.toFixed(1)}`;
  return [...findings, ok(`${files}, processors: ${processors}${share}`)];
}

const maxOutputLength = 65_536;

/** Runs `node --version` in the sandbox and returns the launcher's lines. */
async function launchNothing(settings: Parameters<typeof spawnChild>[0], signal: AbortSignal): Promise<string[]> {
  const child = spawnChild(settings, { nodeArgs: ['--version'], read: [], stdio: ['ignore', 'ignore', 'pipe'] });
  const stop = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', stop, { once: true });
  let output = '';
  (child.stderr as Readable).setEncoding('utf8').on('data', (text: string) => {
    if (output.length < maxOutputLength) output += text;
  });
  try {
    await once(child, 'close');
  } finally {
    signal.removeEventListener('abort', stop);
  }
  return output.split('\n').filter((line) => line.startsWith('sandbox: '));
}

interface SandboxFacts {
  readonly platform: string;
  /** HEARTH_SANDBOX. */
  readonly enabled: boolean;
  /** `sandbox: landlock: …`. */
  readonly lines: readonly string[];
}

export function judgeSandbox({ platform, enabled, lines }: SandboxFacts): CheckFinding[] {
  if (platform !== 'linux') return [ok(`runners are separate processes; there is no sandbox on ${platform}`)];
  if (!enabled)
    return [warning('HEARTH_SANDBOX is off: runners can read files and use the network', 'remove HEARTH_SANDBOX')];
  if (lines.length === 0)
    return [warning('the sandbox did not start', 'run `hearth serve --debug` and look at the lines with sandbox')];
  const missing = lines.filter((line) => line.includes(': not available: '));
  if (missing.length === 0) return [ok('Landlock and seccomp restrict runners')];
  const nextStep = 'models run without this protection; a newer kernel, or a container that allows it, has it';
  return missing.map((line) => warning(line.replace('sandbox: ', ''), nextStep));
}
