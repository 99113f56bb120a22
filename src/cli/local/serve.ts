// `hearth serve`: the server in this process.

import type { Settings } from '../../base/config/settings.ts';
import { createLogger } from '../../base/logger.ts';
import { systemClock } from '../../base/time/clock.ts';
import { compose } from '../../server/compose.ts';
import { stopOnSignals } from './stop-on-signals.ts';

export interface ServeOptions {
  readonly settings: Settings;
  readonly version: string;
  readonly print: (text: string) => void;
}

export async function serve({ settings, version, print }: ServeOptions): Promise<void> {
  const logger = createLogger({
    clock: systemClock,
    level: settings.debug ? 'debug' : 'info',
    format: settings.logFormat,
    write: (line) => void process.stderr.write(line),
  });
  const hearth = compose({ settings, version, clock: systemClock, logger });
  const address = await hearth.start();

  stopOnSignals({ stop: hearth.stop, clock: systemClock, logger });
  print(
    `Hearth is listening on ${address}\n\nTry it:\n  curl ${address}/api/generate -d '{"model": "ember", "prompt": "Why is the sky blue?"}'\n`,
  );
}
