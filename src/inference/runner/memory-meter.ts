// The memory of the loaded model. llama.cpp's C API does not report it; its log has a line for each buffer.

import { writeSync } from 'node:fs';
import type { MemoryUse } from '../protocol/messages.ts';
import type { LogCapture } from './llama/bindings/bind-log.ts';

/** A second measurement of a part replaces the first. */
export type MemoryPart = 'weights' | 'adapters' | 'context' | 'projector' | 'embeddings' | 'ranking' | 'draft';

export interface MemoryMeter {
  /** Runs `allocate`, and counts the buffers that are logged during it. For the limits of this, see bind-log.ts. */
  measure<Result>(part: MemoryPart, allocate: () => Result, capture?: LogCapture): Result;
  /** The part was freed. */
  clear(part: MemoryPart): void;
}

export interface MemoryMeterOptions {
  readonly capture: LogCapture;
  readonly onChange: (memory: MemoryUse) => void;
  /** Receives the log, which would otherwise be lost. */
  readonly forward?: (text: string) => void;
}

const mebibyte = 2 ** 20;
// "load_tensors:   CUDA0 model buffer size =   123.45 MiB"; also for KV, compute, output and others.
const bufferLine = /(\S+)\s+(?:model|KV|RS|compute|output|LoRA) buffer size\s*=\s*([\d.]+) MiB/;
// The log also prints names from the model's file. Longer lines are not searched: the pattern takes quadratic time.
const maxLine = 256;
// Buffers in main memory: the CPU's own, its special layouts, and host memory that a GPU can access.
const inMainMemory = /^(CPU|AMX|BLAS|REPACK|ACCEL)|_Host$/i;

export function createMemoryMeter({ capture, onChange, forward = toStderr }: MemoryMeterOptions): MemoryMeter {
  const parts = new Map<MemoryPart, MemoryUse>();

  const report = (): void => {
    const uses = [...parts.values()];
    onChange({
      totalBytes: uses.reduce((sum, { totalBytes }) => sum + totalBytes, 0),
      deviceBytes: uses.reduce((sum, { deviceBytes }) => sum + deviceBytes, 0),
    });
  };

  return {
    measure(part, allocate, own = capture) {
      const log: string[] = [];
      const result = own((text) => {
        log.push(text);
        forward(text);
      }, allocate);
      parts.set(part, buffersIn(log.join('')));
      report();
      return result;
    },
    clear(part) {
      if (parts.delete(part)) report();
    },
  };
}

function buffersIn(log: string): MemoryUse {
  let totalBytes = 0;
  let deviceBytes = 0;
  for (const line of log.split('\n')) {
    const [, buffer, size] = (line.length <= maxLine && bufferLine.exec(line)) || [];
    if (buffer === undefined) continue;
    const bytes = Math.round(Number(size) * mebibyte);
    totalBytes += bytes;
    if (!inMainMemory.test(buffer)) deviceBytes += bytes;
  }
  return { totalBytes, deviceBytes };
}

function toStderr(text: string): void {
  try {
    writeSync(2, text);
  } catch {
    // A log line that cannot be written must not fail the load.
  }
}
