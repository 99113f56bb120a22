// Limits of the operating system and of the container, besides memory.

import { availableParallelism } from 'node:os';
import { type CheckFinding, defineCheck, ok, usualTimeLimit, warning } from '../check.ts';
import { readTextFile } from '../read-text-file.ts';

export interface LimitFacts {
  /** Absent if unknown or unlimited. */
  readonly openFiles?: number;
  readonly addressSpace?: number;
  readonly processes?: number;
  /** Processors' worth of time that the container may use. */
  readonly processorQuota?: number;
  readonly processors: number;
}

// A server with hundreds of connections and runners needs a few thousand.
const minOpenFiles = 4096;
const minProcesses = 256;

export const limitsCheck = defineCheck<LimitFacts>({
  name: 'limits',
  timeLimit: usualTimeLimit,
  async gather() {
    const [limits = '', pids, quota] = await Promise.all(
      ['/proc/self/limits', '/sys/fs/cgroup/pids.max', '/sys/fs/cgroup/cpu.max'].map(readTextFile),
    );
    const ofUser = parseProcessLimits(limits);
    const processes = Math.min(ofUser.processes ?? Number.POSITIVE_INFINITY, toNumber(pids));
    return {
      ...ofUser,
      ...(Number.isFinite(processes) ? { processes } : {}),
      ...parseProcessorQuota(quota ?? ''),
      processors: availableParallelism(),
    };
  },
  judge: judgeLimits,
});

/** The soft limits of /proc/self/limits. */
export function parseProcessLimits(text: string): Pick<LimitFacts, 'openFiles' | 'addressSpace' | 'processes'> {
  const read = (name: string): number | undefined => {
    const line = text.split('\n').find((candidate) => candidate.startsWith(name));
    const limit = toNumber(line?.slice(name.length).trim().split(/\s+/)[0]);
    return Number.isFinite(limit) ? limit : undefined;
  };
  const [openFiles, addressSpace, processes] = ['Max open files', 'Max address space', 'Max processes'].map(read);
  return {
    ...(openFiles === undefined ? {} : { openFiles }),
    ...(addressSpace === undefined ? {} : { addressSpace }),
    ...(processes === undefined ? {} : { processes }),
  };
}

/** `150000 100000`: microseconds of use and of the period. */
export function parseProcessorQuota(text: string): Pick<LimitFacts, 'processorQuota'> {
  const [quota, period] = text.trim().split(' ').map(toNumber);
  const processorQuota = (quota ?? Number.POSITIVE_INFINITY) / (period ?? 1);
  return Number.isFinite(processorQuota) ? { processorQuota } : {};
}

function toNumber(text: string | undefined): number {
  return text !== undefined && /^\d{1,20}$/.test(text.trim()) ? Number(text) : Number.POSITIVE_INFINITY;
}

export function judgeLimits({ openFiles, addressSpace, processes, ...cpu }: LimitFacts): CheckFinding[] {
  const findings: CheckFinding[] = [];
  if (openFiles !== undefined && openFiles < minOpenFiles)
    findings.push(
      warning(
        `a process may open only ${openFiles} files`,
        'raise it with `ulimit -n 65536`, or LimitNOFILE in a service',
      ),
    );
  if (addressSpace !== undefined)
    findings.push(warning('the address space is limited, but models are mapped into it', 'run `ulimit -v unlimited`'));
  if (processes !== undefined && processes < minProcesses)
    findings.push(
      warning(
        `only ${processes} processes and threads are allowed`,
        'raise `ulimit -u` or the pids limit of the container',
      ),
    );
  findings.push(ok([describeFiles(openFiles), describeProcessors(cpu)].join(', ')));
  return findings;
}

function describeFiles(openFiles: number | undefined): string {
  return openFiles === undefined ? 'open files: no limit is known' : `open files: ${openFiles}`;
}

function describeProcessors({ processorQuota, processors }: Pick<LimitFacts, 'processorQuota' | 'processors'>): string {
  return processorQuota === undefined
    ? `processors: ${processors}`
    : `processors: ${processors}, of which the container may use ${processorQuota.toFixed(1)}`;
}
