// What the NVIDIA driver says about its GPUs, through its own program and files. No library of the driver is loaded.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { NvidiaGpu } from './choose-cuda-build.ts';

// The program waits for a GPU that hangs.
const timeoutMs = 5000;
const maxOutput = 65_536;
const maxGpus = 64;

const fields = ['name', 'driver_version', 'compute_cap', 'memory.total', 'memory.free'] as const;
const program = process.platform === 'win32' ? 'nvidia-smi.exe' : 'nvidia-smi';

export type GpuEnvironment = Readonly<Record<string, string | undefined>>;

interface NvidiaQuery {
  /** The variables of the program. */
  readonly environment: GpuEnvironment;
  readonly signal: AbortSignal;
  /** Absent: the folder of the kernel. */
  readonly driverFolder?: string;
}

/** Empty if there is no driver. */
export async function readNvidiaGpus(query: NvidiaQuery): Promise<NvidiaGpu[]> {
  const output = await runProgram(query);
  return output === undefined ? readDriverFiles(query.driverFolder ?? '/proc/driver/nvidia') : parseGpus(output);
}

function runProgram({ environment, signal }: NvidiaQuery): Promise<string | undefined> {
  const args = [`--query-gpu=${fields.join(',')}`, '--format=csv,noheader,nounits'];
  const limits = { timeout: timeoutMs, maxBuffer: maxOutput, killSignal: 'SIGKILL', signal } as const;
  return new Promise((resolve) => {
    execFile(program, args, { ...limits, windowsHide: true, env: { ...environment } }, (error, stdout) =>
      resolve(error === null ? stdout : undefined),
    );
  });
}

/** Lines such as "NVIDIA H200, 580.65.06, 9.0, 143771, 143156". */
export function parseGpus(output: string): NvidiaGpu[] {
  return output
    .split('\n')
    .slice(0, maxGpus)
    .flatMap((line): NvidiaGpu[] => {
      const cells = line.split(',').map((cell) => cell.trim());
      // A name could contain a comma.
      const [driver, capability, total, free] = cells.splice(-4);
      if (cells.length === 0 || free === undefined) return [];
      return [
        {
          name: cells.join(', '),
          driver: driver ?? '',
          computeCapability: toNumber(capability),
          totalBytes: toBytes(total),
          freeBytes: toBytes(free),
        },
      ];
    });
}

function toNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}(?:\.\d)?$/.test(text) ? Number(text) : undefined;
}

/** "[N/A]" on machines whose GPU has no memory of its own. */
function toBytes(mebibytes: string | undefined): number {
  return (toNumber(mebibytes) ?? 0) * 2 ** 20;
}

/** Without the program: the kernel module says the driver's version, and nothing about the GPU. */
export function readDriverFiles(folder: string): NvidiaGpu[] {
  try {
    const text = readFileSync(`${folder}/version`, 'utf8').slice(0, maxOutput);
    const [, driver] = /Kernel Module.*?\s(\d+\.[\d.]+)\s/.exec(text) ?? [];
    const unknown = { computeCapability: undefined, totalBytes: 0, freeBytes: 0 };
    return driver === undefined ? [] : [{ name: 'NVIDIA GPU', driver, ...unknown }];
  } catch {
    return [];
  }
}
