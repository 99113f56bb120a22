// Ends the process when it is told to, after whatever runs in it has stopped.

import { messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { Clock } from '../../base/time/clock.ts';

export interface StopOnSignals {
  readonly stop: () => Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const nanosecondsBetweenTwoWishes = 1e9;

export function stopOnSignals({ stop, clock, logger }: StopOnSignals): void {
  let askedAt: number | undefined;
  const onSignal = (signal: NodeJS.Signals | 'disconnect'): void => {
    if (askedAt !== undefined) {
      // Whoever asks twice does not want to wait; but one Ctrl-C comes twice, from the terminal and passed on by npm.
      if (clock.monotonic() - askedAt > nanosecondsBetweenTwoWishes) process.exit(1);
      return;
    }
    askedAt = clock.monotonic();
    logger.info('stopping', { signal });
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error(messageOf(error));
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal);
  // `hearth run` starts a server for itself alone, with a channel: should it be killed, the server is not left behind.
  if (process.connected) process.once('disconnect', () => onSignal('disconnect'));
}
