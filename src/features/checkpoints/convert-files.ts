// Converts a checkpoint to a GGUF file, in a separate process: it reads files of unknown origin, and the thread of the
// server does not compute. One runs at a time.

import { HearthError } from '../../base/errors.ts';
import { toFailureError } from '../../base/process/program-failure.ts';
import type { ChildSettings } from '../../base/process/spawn-child.ts';
import { createTurns } from '../../base/turns.ts';
import { runFileProgram } from '../../inference/engine/process/run-file-program.ts';
import { createStderrTail } from '../../inference/engine/process/stderr-tail.ts';
import type { ConvertFiles, ConvertRequest, ConvertResult } from '../../server/services/create/model-sources.ts';
import { type ConvertMessage, parseConvertMessage } from './convert-messages.ts';

interface ConvertFilesOptions {
  readonly script: string;
  readonly childSettings: ChildSettings;
}

const maxWaiting = 16;
// Tensors are converted in blocks outside of the heap. The largest tokenizers need a few hundred megabytes.
const heapMegabytes = 2048;

export function createConvertFiles(program: ConvertFilesOptions): ConvertFiles {
  const turns = createTurns(maxWaiting);

  async function convert({ onProgress, signal, ...order }: ConvertRequest): Promise<ConvertResult> {
    let last: ConvertMessage | undefined;
    const stdout = createStderrTail((line) => {
      const message = parseConvertMessage(line);
      if (message?.kind === 'progress') onProgress(message.done, message.total);
      else last = message ?? last;
    });
    const stderr = createStderrTail();
    const files = { sources: order.files.map(({ path }) => path), target: order.target };
    const streams = { input: JSON.stringify(order), onStdout: stdout.feed, onStderr: stderr.feed };
    const failure = await runFileProgram({ ...program, args: [], ...files, ...streams, heapMegabytes, signal });
    if (last?.kind === 'failed') throw toFailureError(last);
    if (failure !== undefined && stderr.findLast((line) => line.includes('heap out of memory')) !== undefined)
      throw new HearthError('unsupported', `the checkpoint needs more than ${heapMegabytes} MiB to be converted`);
    if (failure !== undefined || last?.kind !== 'done')
      throw new HearthError('internal', `the conversion failed: ${stderr.lastError() ?? failure ?? 'no result'}`);
    const { maxTokens, hasVision = false } = last;
    return { hasVision, ...(maxTokens === undefined ? {} : { maxTokens }) };
  }

  return (request) => turns.run(() => convert(request), request.signal);
}
