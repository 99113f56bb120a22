// Computes the importance matrix of a model over a text, in a separate process. It takes all processors for minutes, so one
// runs at a time.

import { HearthError } from '../../base/errors.ts';
import { toFailureError } from '../../base/process/program-failure.ts';
import type { ChildSettings } from '../../base/process/spawn-child.ts';
import { createTurns } from '../../base/turns.ts';
import { runFileProgram } from '../../inference/engine/process/run-file-program.ts';
import { createStderrTail } from '../../inference/engine/process/stderr-tail.ts';
import { type ImatrixMessage, type ImatrixOrder, parseImatrixMessage } from './imatrix-messages.ts';

interface ComputeRequest extends ImatrixOrder {
  /** Chunks that are evaluated. */
  readonly onProgress: (done: number, total: number) => void;
  readonly signal: AbortSignal;
}

type ImatrixResult = Omit<Extract<ImatrixMessage, { kind: 'done' }>, 'kind'>;

/** Overwrites the target. A partial file may remain if it fails. */
export type ComputeImatrix = (request: ComputeRequest) => Promise<ImatrixResult>;

interface ImatrixProgram {
  readonly script: string;
  readonly childSettings: ChildSettings;
}

const maxWaiting = 16;
// The text and its tokens. Sums are outside of the heap.
const heapMegabytes = 2048;

export function createComputeImatrix(program: ImatrixProgram): ComputeImatrix {
  const turns = createTurns(maxWaiting);

  async function compute({ onProgress, signal, ...order }: ComputeRequest): Promise<ImatrixResult> {
    let last: ImatrixMessage | undefined;
    const stdout = createStderrTail((line) => {
      const message = parseImatrixMessage(line);
      if (message?.kind === 'progress') onProgress(message.done, message.total);
      else last = message ?? last;
    });
    const stderr = createStderrTail();
    const files = { sources: [order.model], target: order.target };
    const streams = { input: JSON.stringify(order), onStdout: stdout.feed, onStderr: stderr.feed };
    const failure = await runFileProgram({ ...program, args: [], ...files, ...streams, heapMegabytes, signal });
    if (last?.kind === 'failed') throw toFailureError(last);
    if (failure !== undefined || last?.kind !== 'done') {
      const reason = stderr.lastError() ?? failure ?? 'no result';
      throw new HearthError('load_failed', `the importance matrix was not computed: ${reason}`);
    }
    return { chunks: last.chunks, matrices: last.matrices };
  }

  return (request) => turns.run(() => compute(request), request.signal);
}
