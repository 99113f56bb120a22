// Quantizes a GGUF file with llama.cpp's quantizer, in a separate process. It takes all processors for minutes, so one
// runs at a time.

import { HearthError } from '../../base/errors.ts';
import type { ChildSettings } from '../../base/process/spawn-child.ts';
import { createTurns } from '../../base/turns.ts';
import { runFileProgram } from './process/run-file-program.ts';
import { createStderrTail } from './process/stderr-tail.ts';

interface QuantizeRequest {
  readonly source: string;
  /** Overwritten. A partial file may remain if quantization fails. */
  readonly target: string;
  /** llama.cpp's number of the file type. */
  readonly fileType: number;
  /** The path of an importance matrix. */
  readonly imatrix?: string | undefined;
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

  async function quantize(request: QuantizeRequest): Promise<void> {
    const { source, target, fileType, imatrix, onProgress, signal } = request;
    const own = imatrix === undefined ? [] : [imatrix];
    const stderr = createStderrTail((line) => {
      const [, done, total] = progressLine.exec(line) ?? [];
      if (done !== undefined) onProgress(Number(done), Number(total));
    });
    const args = [source, target, String(fileType), '0', ...own];
    const files = { sources: [source, ...own], target };
    const failure = await runFileProgram({ childSettings, script, args, ...files, onStderr: stderr.feed, signal });
    if (failure !== undefined)
      throw new HearthError('load_failed', `quantizing failed: ${stderr.lastError() ?? failure}`);
  }

  return (request) => turns.run(() => quantize(request), request.signal);
}
