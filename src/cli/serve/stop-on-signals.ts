// Graceful shutdown: on signals, and when the caller asks for it.

import { messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { Clock } from '../../base/time/clock.ts';

interface StopOnSignals {
  readonly stop: () => Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** npm forwards Ctrl-C, so that one key press can arrive as two signals. */
const minBetweenSignalsNs = 1e9;

/** Returns a function that shuts down for another reason. */
export function stopOnSignals({ stop, clock, logger }: StopOnSignals): (reason: string) => void {
  let firstSignalAt: number | undefined;
  const onSignal = (reason: string): void => {
    if (firstSignalAt !== undefined) {
      // A second Ctrl-C exits without waiting.
      if (clock.monotonic() - firstSignalAt > minBetweenSignalsNs) process.exit(1);
      return;
    }
    firstSignalAt = clock.monotonic();
    logger.info('stopping', { reason });
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error(messageOf(error));
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal);
  return onSignal;
}
