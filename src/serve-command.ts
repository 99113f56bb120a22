// `hearth serve`: the server in this process, from its start to the signal that ends it.

import { compose } from './compose.ts';
import type { Settings } from './config/settings.ts';
import { systemClock } from './kernel/clock.ts';
import { messageOf } from './kernel/errors.ts';
import { createLogger } from './kernel/logger.ts';

export interface ServeCommand {
  readonly settings: Settings;
  readonly version: string;
  readonly say: (text: string) => void;
}

export async function serve({ settings, version, say }: ServeCommand): Promise<void> {
  const logger = createLogger({
    clock: systemClock,
    level: settings.debug ? 'debug' : 'info',
    write: (line) => void process.stderr.write(line),
  });
  const hearth = compose({ settings, version, clock: systemClock, logger });
  const address = await hearth.start();

  let askedAt: number | undefined;
  const stop = (reason: string): void => {
    if (askedAt !== undefined) {
      // Whoever asks twice does not want to wait; but one Ctrl-C comes twice, from the terminal and passed on by npm.
      if (systemClock.monotonic() - askedAt > 1e9) process.exit(1);
      return;
    }
    askedAt = systemClock.monotonic();
    logger.info('stopping', { reason });
    hearth.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error(messageOf(error));
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop(signal));
  // `hearth run` starts a server for itself alone, with a channel: should it be killed, the server is not left behind.
  if (process.connected) process.once('disconnect', () => stop('whoever started it has ended'));
  say(
    `Hearth is listening on ${address}\n\nTry it:\n  curl ${address}/api/generate -d '{"model": "ember", "prompt": "Why is the sky blue?"}'\n`,
  );
}
