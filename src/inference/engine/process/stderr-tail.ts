// Reads what llama.cpp writes to standard error: keeps the end for error messages, and notes how much memory it
// says it took and where.

import { embedContextLine } from '../../protocol/messages.ts';
import type { MemoryUse } from '../ports.ts';

export interface StderrTail {
  feed(chunk: string): void;
  /** The line that most likely says what went wrong. */
  lastError(): string | undefined;
  /** What was said so far did no harm: it is not what went wrong later. */
  forgive(): void;
  memory(): MemoryUse;
}

const maxTail = 16 * 1024;
// Lines that name a cause, and lines that only say that something went wrong; the former count first.
const causes = /\berror\b|assert|abort|terminate called|out of memory|exception/i;
const complaints = /failed|not supported|unsupported|unknown|invalid/i;
// "load_tensors:   CUDA0 model buffer size =   123.45 MiB", likewise for KV, compute and output.
const bufferLine = /(\S+)\s+(?:model|KV|compute|output|RS) buffer size\s*=\s*([\d.]+) MiB/;
// Buffers in main memory: the CPU's own, its special layouts, and host memory that a GPU can reach.
const inMainMemory = /^(CPU|AMX|BLAS|REPACK|ACCEL)|_Host$/i;

export function createStderrTail(onLine: (line: string) => void = () => {}): StderrTail {
  let tail = '';
  let partial = '';
  const lasting = { total: 0, device: 0 };
  // Of the context for embeddings, which is made anew for longer texts.
  let passing: { total: number; device: number } | undefined;

  const readLine = (line: string): void => {
    onLine(line);
    if (line === embedContextLine) passing = { total: 0, device: 0 };
    const [, place, size] = bufferLine.exec(line) ?? [];
    if (place === undefined) return;
    const mib = passing ?? lasting;
    mib.total += Number(size);
    if (!inMainMemory.test(place)) mib.device += Number(size);
  };

  return {
    feed(chunk) {
      tail = (tail + chunk).slice(-maxTail);
      const lines = (partial + chunk).split('\n');
      partial = (lines.pop() ?? '').slice(-maxTail);
      lines.forEach(readLine);
    },
    lastError() {
      const lines = tail.split('\n').map((line) => line.trim());
      return lines.findLast((line) => causes.test(line)) ?? lines.findLast((line) => complaints.test(line));
    },
    forgive() {
      tail = '';
    },
    memory: () => ({
      totalBytes: Math.round((lasting.total + (passing?.total ?? 0)) * 2 ** 20),
      deviceBytes: Math.round((lasting.device + (passing?.device ?? 0)) * 2 ** 20),
    }),
  };
}
