// How long a grammar may take to choose a token. Grammars are checked earlier, but the number of parses of an answer depends
// on the answer. All requests wait while a token is chosen. Time in which other programs have the processor does not count.

import { HearthError } from '../../../../base/errors.ts';
import type { Clock } from '../../../../base/time/clock.ts';

// Checking an entire vocabulary against a grammar takes a tenth of it.
const maxChoiceNanoseconds = 1e9;

/** From now on. */
export function createTimeCheck(clock: Clock): { isOver(): boolean; check(): void } {
  const start = clock.monotonic();
  const used = process.cpuUsage();
  const isOver = (): boolean => {
    if (clock.monotonic() - start <= maxChoiceNanoseconds) return false;
    const { user, system } = process.cpuUsage(used);
    return (user + system) * 1000 > maxChoiceNanoseconds;
  };
  const check = (): void => {
    if (isOver()) throw lateError();
  };
  return { isOver, check };
}

export function lateError(): HearthError {
  return new HearthError('request_failed', 'the grammar takes too long to evaluate');
}
