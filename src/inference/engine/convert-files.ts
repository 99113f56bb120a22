// Converts a checkpoint to a GGUF file, in a separate process: it reads files of unknown origin, and the thread of the
// server does not compute. One runs at a time.

import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { HearthError } from '../../base/errors.ts';
import { type ChildSettings, spawnChild } from '../../base/process/spawn-child.ts';
import { createTurns } from '../../base/turns.ts';
import { type ConvertMessage, type ConvertOrder, parseConvertMessage } from '../protocol/convert-messages.ts';
import { createStderrTail } from './process/stderr-tail.ts';

export interface ConvertRequest extends ConvertOrder {
  readonly onProgress: (done: number, total: number) => void;
  readonly signal: AbortSignal;
}

export interface ConvertResult {
  /** The number of tokens at which texts are to be cut, for embedding models that state it. */
  readonly maxTokens?: number;
}

export type ConvertFiles = (request: ConvertRequest) => Promise<ConvertResult>;

interface ConvertFilesOptions {
  readonly script: string;
  readonly childSettings?: ChildSettings;
}

const maxWaiting = 16;

/** The store explains errors of the operating system, such as a full disk. */
function toError({ code, message, systemCode }: Extract<ConvertMessage, { kind: 'failed' }>): Error {
  return systemCode === undefined
    ? new HearthError(code, message)
    : Object.assign(new Error(message), { code: systemCode });
}

export function createConvertFiles({ script, childSettings = {} }: ConvertFilesOptions): ConvertFiles {
  const turns = createTurns(maxWaiting);

  async function convert({ onProgress, signal, ...order }: ConvertRequest): Promise<ConvertResult> {
    let last: ConvertMessage | undefined;
    const stdout = createStderrTail((line) => {
      const message = parseConvertMessage(line);
      if (message?.kind === 'progress') onProgress(message.done, message.total);
      else last = message ?? last;
    });
    const stderr = createStderrTail();
    // A sandboxed child can only write a file that exists.
    await writeFile(order.target, '');
    const child = spawnChild(childSettings, {
      script,
      args: ['attached'],
      read: order.files.map(({ path }) => path),
      write: [order.target],
      // The child exits when the last one closes: it does not outlive the server.
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    });
    (child.stdout as Readable).setEncoding('utf8').on('data', stdout.feed);
    (child.stderr as Readable).setEncoding('utf8').on('data', stderr.feed);
    child.stdio[3]?.on('error', () => {});
    (child.stdin as Writable).on('error', () => {}).end(JSON.stringify(order));
    const stop = (): void => void child.kill('SIGKILL');
    signal.addEventListener('abort', stop, { once: true });
    try {
      const [code] = (await once(child, 'close')) as [number | null];
      if (signal.aborted) throw new HearthError('cancelled', 'request canceled');
      if (last?.kind === 'failed') throw toError(last);
      if (code !== 0 || last?.kind !== 'done')
        throw new HearthError('internal', `the conversion failed: ${stderr.lastError() ?? `exit code ${code}`}`);
      return last.maxTokens === undefined ? {} : { maxTokens: last.maxTokens };
    } finally {
      signal.removeEventListener('abort', stop);
      stop();
    }
  }

  return (request) => turns.run(() => convert(request), request.signal);
}
