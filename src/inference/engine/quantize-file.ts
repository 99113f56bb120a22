// Quantizes a GGUF file with llama.cpp's quantizer, in a separate process.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { HearthError } from '../../base/errors.ts';
import { createStderrTail } from './process/stderr-tail.ts';

export interface QuantizeRequest {
  readonly source: string;
  /** Overwritten. A partial file may remain if quantization fails. */
  readonly target: string;
  /** llama.cpp's number of the file type. */
  readonly fileType: number;
  readonly onProgress: (done: number, total: number) => void;
  readonly signal: AbortSignal;
}

export type QuantizeFile = (request: QuantizeRequest) => Promise<void>;

// "[  12/  74] blk.0.attn_q.weight - [  512,  512,    1,    1], type =    f16, …"
const progressLine = /^\[\s*(\d+)\/\s*(\d+)\]/;

export function createQuantizeFile({ script }: { readonly script: string }): QuantizeFile {
  return async ({ source, target, fileType, onProgress, signal }) => {
    const stderr = createStderrTail((line) => {
      const [, done, total] = progressLine.exec(line) ?? [];
      if (done !== undefined) onProgress(Number(done), Number(total));
    });
    const child = spawn(process.execPath, [script, source, target, String(fileType), '0'], {
      stdio: ['ignore', 'ignore', 'pipe'],
      windowsHide: true,
    });
    (child.stderr as Readable).setEncoding('utf8').on('data', stderr.feed);
    const stop = (): void => void child.kill('SIGKILL');
    signal.addEventListener('abort', stop, { once: true });
    try {
      const [code, killedBy] = (await once(child, 'close')) as [number | null, string | null];
      if (signal.aborted) throw new HearthError('cancelled', 'request canceled');
      if (code !== 0) {
        const reason = stderr.lastError() ?? (killedBy === null ? `exit code ${code}` : `signal ${killedBy}`);
        throw new HearthError('load_failed', `quantizing failed: ${reason}`);
      }
    } finally {
      signal.removeEventListener('abort', stop);
      stop();
    }
  };
}
