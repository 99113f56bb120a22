// `hearth serve`: the server in this process.

import { ownTlsFiles } from '../../base/config/own-tls-files.ts';
import type { Settings } from '../../base/config/settings.ts';
import { createLogger } from '../../base/logger.ts';
import { systemClock } from '../../base/time/clock.ts';
import { compose } from '../../server/compose/compose.ts';
import { listensEverywhere, startText } from './start-text.ts';
import { stopOnSignals } from './stop-on-signals.ts';

export interface ServeOptions {
  readonly settings: Settings;
  readonly version: string;
  /** The folder with package.json. */
  readonly packageFolder: string;
  readonly print: (text: string) => void;
}

export async function serve({ settings, version, packageFolder, print }: ServeOptions): Promise<void> {
  const logger = createLogger({
    clock: systemClock,
    level: settings.debug ? 'debug' : 'info',
    format: settings.logFormat,
    write: (line) => void process.stderr.write(line),
  });
  let shutDown: (reason: string) => void = () => {};
  const hearth = compose({
    settings,
    version,
    packageFolder,
    clock: systemClock,
    logger,
    onIdle: () => shutDown('no work'),
  });
  const address = await hearth.start();

  shutDown = stopOnSignals({ stop: hearth.stop, clock: systemClock, logger });
  const { host } = settings.host;
  const requiresKey = hearth.requiresKey();
  if (listensEverywhere(host) && !requiresKey)
    logger.warn('listening on all interfaces without keys: everyone on the network can use this server', {
      host,
    });
  const { cert, ca } = ownTlsFiles();
  const caFile = settings.tlsCert === cert ? ca : undefined;
  print(startText({ address, host, requiresKey, model: await hearth.exampleModel(), caFile }));
}
