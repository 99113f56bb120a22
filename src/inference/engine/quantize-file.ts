// Quantizes a GGUF file with llama.cpp's quantizer, in a separate process. It takes all processors for minutes, so one
// runs at a time.

import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { HearthError } from '../../base/errors.ts';
import { type ChildSettings, spawnChild } from '../../base/process/spawn-child.ts';
import { createTurns } from '../../base/turns.ts';
import { createStderrTail } from './process/stderr-tail.ts';

interface QuantizeRequest {
  readonly source: string;
  /** Overwritten. A partial file may remain if quantization fails. */
  readonly target: string;
  /** llama.cpp's number of the file type. */
  readonly fileType: number;
  readonly onProgress: (done: number, total: number) => void;
  readonly signal: AbortSignal;
}

export type QuantizeFile = (request: QuantizeRequest) => Promise<void>;

interface QuantizeFileOptions {
  readonly script: string;
  readonly childSettings?: ChildSettings;
}

// "[  12/  74] blk.0.attn_q.weight - [  512,  512,    1,    1], type =    f16, …"
const progressLine = /^\[\s*(\d+)\/\s*(\d+)\]/;
const maxWaiting = 16;

export function createQuantizeFile({ script, childSettings = {} }: QuantizeFileOptions): QuantizeFile {
  const turns = createTurns(maxWaiting);

  async function quantize({ source, target, fileType, onProgress, signal }: QuantizeRequest): Promise<void> {
    const stderr = createStderrTail((line) => {
      const [, done, total] = progressLine.exec(line) ?? [];
      if (done !== undefined) onProgress(Number(done), Number(total));
    });
    // A sandboxed child can only write a file that exists.
    await writeFile(target, '');
    const child = spawnChild(childSettings, {
      script,
      args: [source, target, String(fileType), '0', 'attached'],
      read: [source],
      write: [target],
      // The child exits when the last one closes: it does not outlive the server.
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    });
    (child.stderr as Readable).setEncoding('utf8').on('data', stderr.feed);
    child.stdio[3]?.on('error', () => {});
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
  }

  return (request) => turns.run(() => quantize(request), request.signal);
}
