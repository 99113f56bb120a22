// `hearth serve`: the server in this process.

import { processEnvironment } from '../../base/config/environment.ts';
import { ownTlsFiles } from '../../base/config/own-tls-files.ts';
import { toServerUrl } from '../../base/config/server-url.ts';
import { createLogger } from '../../base/logger.ts';
import { systemClock } from '../../base/time/clock.ts';
import { createSharedState } from '../../features/shared-state.ts';
import { compose } from '../../server/compose/compose.ts';
import { loadSettings, type SettingSources } from '../../settings/load-settings.ts';
import type { Settings } from '../../settings/setting-table.ts';
import {
  endBackgroundServer,
  findBackgroundServers,
  isAtUrl,
  recordBackgroundServer,
} from '../background/background-servers.ts';
import type { CliContext } from '../command.ts';
import { listensEverywhere, startText } from './start-text.ts';
import { stopOnSignals } from './stop-on-signals.ts';

interface ServeOptions extends Pick<SettingSources, 'flags' | 'configFile'> {
  /** Whether a command has started this server. */
  readonly isBackground: boolean;
}

/** Resolves when the server listens. It runs until a signal ends the process. */
export async function serve(
  { terminal, version, packageFolder }: CliContext,
  { isBackground, ...sources }: ServeOptions,
): Promise<void> {
  const { stdout, stderr } = terminal;
  const onWarning = (message: string): void => stderr.write(`Warning: ${message}\n`);
  const settings = loadSettings({ environment: processEnvironment, onWarning, ...sources });
  const logger = createLogger({
    clock: systemClock,
    level: settings.debug ? 'debug' : 'info',
    format: settings.logFormat,
    write: stderr.write,
  });
  if (!isBackground) await takeOver(settings, stderr.write);
  const sharedState = await createSharedState(settings, { clock: systemClock, logger });
  let shutDown: (reason: string) => void = () => {};
  const hearth = compose({
    settings,
    version,
    packageFolder,
    sharedState,
    clock: systemClock,
    logger,
    onIdle: () => shutDown('no work'),
  });
  const address = await hearth.start();

  shutDown = stopOnSignals({ stop: () => hearth.stop(), clock: systemClock, logger });
  if (isBackground) await recordBackgroundServer(address, settings.models);
  const host = 'socket' in settings.host ? '' : settings.host.host;
  const requiresKey = hearth.requiresKey();
  if (listensEverywhere(host) && !requiresKey)
    logger.warn('listening on all interfaces without keys: everyone on the network can use this server', {
      host,
    });
  const { cert, ca } = ownTlsFiles();
  const caFile = settings.tlsCert === cert ? ca : undefined;
  stdout.write(
    `${startText({ address, host, page: settings.page, requiresKey, model: await hearth.exampleModel(), caFile })}\n`,
  );
}

/** Ends the servers that commands have started at this address or with this store: this one replaces them. */
async function takeOver({ host, models }: Settings, print: (text: string) => void): Promise<void> {
  for (const server of await findBackgroundServers()) {
    if (!isAtUrl(server, toServerUrl(host)) && server.models !== models) continue;
    print(`Replacing the server that a command started in the background (process ${server.pid}).\n`);
    await endBackgroundServer(server, systemClock);
  }
}
