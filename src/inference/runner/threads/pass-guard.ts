// Ends passes that are stuck because other programs took the processor of a thread. The thread of JavaScript is in
// llama_decode, so another one watches: the watchdog (watch-thread.ts). It starts with the first pass to watch.

import { Worker } from 'node:worker_threads';
import { writeErrorLine } from '../../../base/process/child-program.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { nanosecondsPerMillisecond } from '../../../base/time/duration.ts';
import type { SetAbortFlag } from '../llama/abort-flag.ts';
import type { ContextPointer } from '../llama/bindings/pointers.ts';
import { createUsualTimes, maxWatchedTokens, type PassKind, type UsualTimes } from './usual-times.ts';
import { beginWatch, endWatch, openWatchBoard } from './watch-board.ts';

interface GuardedPass extends PassKind {
  readonly watched: boolean;
  readonly decode: () => number;
}

interface PassGuardOptions {
  readonly clock: Clock;
  readonly setAbortFlag: SetAbortFlag;
  /** Starts the thread that watches the passes of a board. */
  readonly startWatchdog: (board: SharedArrayBuffer) => void;
}

// A pass is late if it takes longer than usual by this factor. One thread alone takes about as long.
const lateFactor = 2;
// Ending an earlier pass gains nothing that a user would see.
const minLate = 60;
const decodeDone = 0;

export function createPassGuard({ clock, setAbortFlag, startWatchdog }: PassGuardOptions) {
  const board = openWatchBoard();
  const contexts = new Map<ContextPointer, UsualTimes>();
  let started = false;
  let passes = 0;

  const timesOf = (context: ContextPointer): UsualTimes => {
    const known = contexts.get(context);
    if (known !== undefined) return known;
    setAbortFlag(context, board.flag);
    const times = createUsualTimes();
    contexts.set(context, times);
    return times;
  };

  const begin = (usual: number): void => {
    if (!started) startWatchdog(board.buffer);
    started = true;
    const late = Math.ceil((lateFactor * usual) / nanosecondsPerMillisecond);
    beginWatch(board, passes++, Math.max(minLate, late));
  };

  return {
    /**
     * Runs a pass that may be ended. Without `watched`, its time is only measured. Passes of one thread or many tokens are
     * never ended.
     */
    run(context: ContextPointer, { watched, decode, threads, tokens }: GuardedPass): number {
      if (threads === 1 || tokens > maxWatchedTokens) return decode();
      const times = timesOf(context);
      const usual = times.of({ threads, tokens });
      if (watched && usual !== undefined) begin(usual);
      const start = clock.monotonic();
      const code = decode();
      endWatch(board);
      if (code === decodeDone) times.observe({ threads, tokens }, clock.monotonic() - start);
      return code;
    },
    /** The context was freed. */
    forget: (context: ContextPointer): void => void contexts.delete(context),
  };
}

export type PassGuard = ReturnType<typeof createPassGuard>;

const heapMegabytes = 8;

/** `script` is the built watch-thread.js. Without the thread, passes are not ended. */
export function startWatchThread(script: string, board: SharedArrayBuffer): Worker {
  const resourceLimits = { maxOldGenerationSizeMb: heapMegabytes };
  const thread = new Worker(script, { workerData: board, env: {}, execArgv: [], resourceLimits });
  thread.on('error', ({ message }) => writeErrorLine(`the thread that watches passes failed: ${message}`));
  thread.unref();
  return thread;
}
