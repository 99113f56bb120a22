// A request's hold on the process of an engine. If the process ends before it has answered anything, the request moves to a
// new process, once, and its caller only waits longer.

import type { Clock } from '../../base/time/clock.ts';
import { pause } from '../../base/time/pause.ts';
import type { HostedProcess } from '../engine/process/model-process.ts';
import type { HeldModel } from '../engine/residency/residency.ts';

export interface HeldProcess extends HeldModel {
  readonly runner: HostedProcess;
}

interface HoldOptions {
  readonly first: HeldProcess;
  /** Acquires the same model again. */
  readonly reacquire: (signal: AbortSignal) => Promise<HeldProcess>;
  readonly clock: Clock;
}

// vLLM needs some seconds to end itself when only its engine was killed.
const endGraceMs = 10_000;

export function createProcessHold({ first, reacquire, clock }: HoldOptions) {
  let held: HeldProcess | undefined = first;
  let current = first.runner;
  let isReleased = false;
  let moving: Promise<void> | undefined;

  const move = async (signal: AbortSignal): Promise<void> => {
    held?.release();
    held = undefined;
    const next = await reacquire(signal);
    // The caller may have left meanwhile.
    if (isReleased) next.release();
    else held = next;
    current = next.runner;
  };

  return {
    process: (): HostedProcess => current,
    /** Resolves when the request may be sent again. Otherwise it rejects with what the caller is told. */
    async recover(error: unknown, signal: AbortSignal): Promise<void> {
      const failed = current;
      if (!(await hasEnded(failed, clock))) throw error;
      if (failed !== first.runner) throw (await failed.exited) ?? error;
      // Several calls of a request may fail together.
      moving ??= move(signal);
      await moving;
    },
    release(): void {
      isReleased = true;
      held?.release();
      held = undefined;
    },
  };
}

/** Whether a process that has failed a request is gone. That is known a moment later than the failure. */
function hasEnded(process: HostedProcess, clock: Clock): Promise<boolean> {
  const ended = process.exited.then(() => true);
  const answers = process.isAnswering().then((isUp) => (isUp ? false : ended));
  return Promise.race([ended, answers, pause(clock, endGraceMs).then(() => false)]);
}
