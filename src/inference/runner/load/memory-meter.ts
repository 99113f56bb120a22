// The memory of the loaded model. llama.cpp's C API does not report it; its log has a line for each buffer.

import { writeSync } from 'node:fs';
import type { DeviceUse, MemoryUse } from '../../protocol/messages.ts';
import type { LogCapture } from '../llama/bindings/bind-log.ts';

/** A second measurement for a purpose replaces the first. */
export type MemoryPurpose = 'weights' | 'adapters' | 'context' | 'projector' | 'embeddings' | 'ranking' | 'draft';

type Gpu = Pick<DeviceUse, 'name' | 'isUnified'>;

interface MemoryMeterOptions {
  readonly capture: LogCapture;
  readonly onChange: (memory: MemoryUse) => void;
  /** The GPUs that llama.cpp uses. */
  readonly gpus?: readonly Gpu[];
  /** Receives the log, which would otherwise be lost. */
  readonly forward?: (text: string) => void;
}

const mebibyte = 2 ** 20;
// "load_tensors:   CUDA0 model buffer size =   123.45 MiB"; also for KV, compute, output and others.
const bufferLine = /(\S+)\s+(?:model|KV|RS|compute|output|LoRA) buffer size\s*=\s*([\d.]+) MiB/;
// mtmd names the device and the size of a projector in two lines: "clip_ctx: CLIP using CUDA0 backend",
// "load_hparams: model size:         4.34 MiB".
const projectorDevice = /^clip_ctx: CLIP using (\S+) backend/;
const projectorSize = /^load_hparams: model size:\s+([\d.]+) MiB/;
// The log also prints names from the model's file. Longer lines are not searched: the pattern takes quadratic time.
const maxLine = 256;
// Buffers in main memory: the CPU's own, its special layouts, and host memory that a GPU can access.
const inMainMemory = /^(CPU|AMX|BLAS|REPACK|ACCEL)|_Host$/i;

export function createMemoryMeter(options: MemoryMeterOptions) {
  const { capture, onChange, gpus = [], forward = toStderr } = options;
  const measured = new Map<MemoryPurpose, readonly LoggedBuffer[]>();
  const report = (): void => onChange(toMemoryUse([...measured.values()].flat(), gpus));

  return {
    /** Runs `allocate`, and counts the buffers that are logged during it. For the limits of this, see bind-log.ts. */
    measure<Result>(purpose: MemoryPurpose, allocate: () => Result, own: LogCapture = capture): Result {
      const log: string[] = [];
      const result = own((text) => {
        log.push(text);
        forward(text);
      }, allocate);
      measured.set(purpose, buffersIn(log.join('')));
      report();
      return result;
    },
    /** The memory was freed. */
    clear(purpose: MemoryPurpose): void {
      if (measured.delete(purpose)) report();
    },
  };
}

export type MemoryMeter = ReturnType<typeof createMemoryMeter>;

interface LoggedBuffer {
  readonly name: string;
  readonly bytes: number;
}

function buffersIn(log: string): LoggedBuffer[] {
  let projector: string | undefined;
  return log.split('\n').flatMap((line) => {
    if (line.length > maxLine) return [];
    projector = projectorDevice.exec(line)?.[1] ?? projector;
    const size = projectorSize.exec(line)?.[1];
    if (projector !== undefined && size !== undefined) return [toBuffer(projector, size)];
    const [, name, mebibytes] = bufferLine.exec(line) ?? [];
    return name === undefined ? [] : [toBuffer(name, mebibytes)];
  });
}

function toBuffer(name: string, mebibytes: string | undefined): LoggedBuffer {
  return { name, bytes: Math.round(Number(mebibytes) * mebibyte) };
}

function toMemoryUse(buffers: readonly LoggedBuffer[], gpus: readonly Gpu[]): MemoryUse {
  const onGpus = buffers.filter(({ name }) => !inMainMemory.test(name));
  // llama.cpp does not combine integrated GPUs with others.
  const isUnified = gpus.some((gpu) => gpu.isUnified);
  const byGpu = new Map<string, number>();
  for (const { name, bytes } of onGpus) {
    const gpu = gpuOf(name, gpus)?.name ?? name;
    byGpu.set(gpu, (byGpu.get(gpu) ?? 0) + bytes);
  }
  return {
    totalBytes: sumOf(buffers),
    deviceBytes: sumOf(onGpus),
    devices: [...byGpu].map(([name, bytes]) => ({ name, bytes, isUnified })),
  };
}

/** `CUDA0` has buffers such as CUDA0 and CUDA0_Split. A buffer without a number belongs to the only GPU. */
function gpuOf(buffer: string, gpus: readonly Gpu[]): Gpu | undefined {
  const named = gpus.find(({ name }) => buffer === name || buffer.startsWith(`${name}_`));
  return named ?? (gpus.length === 1 ? gpus[0] : undefined);
}

function sumOf(buffers: readonly LoggedBuffer[]): number {
  return buffers.reduce((sum, { bytes }) => sum + bytes, 0);
}

function toStderr(text: string): void {
  try {
    writeSync(2, text);
  } catch {
    // A log line that cannot be written must not fail the load.
  }
}
