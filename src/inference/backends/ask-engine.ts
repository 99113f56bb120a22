// Asks ggml for its devices in a short-lived process: the server does not load native code, and a driver that crashes
// or hangs must not take the server with it.

import type { StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { messageOf } from '../../base/errors.ts';
import { type ChildSettings, spawnChild, withLibraryFolders } from '../../base/process/spawn-child.ts';
import type { Clock } from '../../base/time/clock.ts';
import { type EngineDescription, parseEngineDescription } from '../protocol/engine-description.ts';

interface AskEngineOptions {
  /** The script that prints the description. */
  readonly script: string;
  readonly childSettings: ChildSettings;
  readonly clock: Clock;
}

/** Either a description or the reason why there is none. */
export type EngineAnswer = EngineDescription | { readonly failure: string };

/** The engine to ask, with its backends. */
export interface AskedEngine {
  readonly libraries: readonly string[];
  /** The file of an engine for images. Absent: the engine for language models. */
  readonly visionEngine?: string;
  /** Folders with libraries of CUDA. */
  readonly runtime?: readonly string[];
}

export type AskEngine = (asked: AskedEngine, signal: AbortSignal) => Promise<EngineAnswer>;

// The first start of a GPU takes seconds.
const timeoutMs = 30_000;
const maxOutput = 2 ** 20;
const maxReason = 500;

function toArguments({ libraries, visionEngine }: AskedEngine) {
  if (visionEngine === undefined) return { args: libraries, read: libraries, usesGpu: libraries.length > 0 };
  return { args: ['--vision', visionEngine], read: [visionEngine], usesGpu: true };
}

export function createAskEngine({ script, childSettings, clock }: AskEngineOptions): AskEngine {
  return async (asked, signal) => {
    const stdio = ['ignore', 'pipe', 'pipe'] satisfies StdioOptions;
    const child = spawnChild(withLibraryFolders(childSettings, asked.runtime), {
      script,
      ...toArguments(asked),
      stdio,
    });
    let timedOut = false;
    const stop = (): void => void child.kill('SIGKILL');
    const timer = clock.after(timeoutMs, () => {
      timedOut = true;
      stop();
    });
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const stdout = collect(child.stdout as Readable);
    const stderr = collect(child.stderr as Readable);
    try {
      const [code, killedBy] = (await once(child, 'close')) as [number | null, string | null];
      const description = parseEngineDescription(stdout());
      if (description !== undefined) return description;
      if (timedOut) return { failure: 'it did not respond' };
      return { failure: reasonIn(stderr()) ?? (killedBy === null ? `exit code ${code}` : `signal ${killedBy}`) };
    } catch (error) {
      return { failure: messageOf(error) };
    } finally {
      timer.cancel();
      signal.removeEventListener('abort', stop);
    }
  };
}

function collect(stream: Readable): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    if (text.length < maxOutput) text += chunk;
  });
  return () => text;
}

/** The script writes its own error as the last line. */
function reasonIn(stderr: string): string | undefined {
  const line = stderr.split('\n').findLast((candidate) => candidate.startsWith('error: '));
  return line?.slice('error: '.length, maxReason);
}
