// What every command gets: the terminal, the settings, and a client that is created when a command needs it.

import { readApiKey } from '../../base/config/api-key.ts';
import { toClientTls } from '../../base/config/client-tls.ts';
import { processEnvironment as environment } from '../../base/config/environment.ts';
import { toServerUrl } from '../../base/config/server-url.ts';
import { systemClock } from '../../base/time/clock.ts';
import { createClient, type HearthClient } from '../../client/client.ts';
import { loadSetting } from '../../settings/load-settings.ts';
import type { CliContext } from '../command.ts';
import type { Terminal } from '../terminal.ts';

export type CliOptions = Pick<CliContext, 'commands' | 'version' | 'packageFolder' | 'onServing'>;

/** `close` ends the client's connections. */
export function createCliContext(
  options: CliOptions,
  terminal: Terminal,
  signal: AbortSignal,
): { readonly context: CliContext; readonly close: () => void } {
  const onWarning = (message: string): void => terminal.stderr.write(`Warning: ${message}\n`);
  const load: CliContext['loadSetting'] = (key, flag) =>
    loadSetting(key, { environment, onWarning, flags: { [key]: flag } });
  const servesTls = (): boolean => load('tlsCert') !== '';
  const hearth = [process.execPath, process.argv[1] ?? ''] as const;
  const createTlsContext = async () => {
    const { createClientContext } = await import('../../base/tls/client-context.ts');
    const tls = toClientTls({ tlsCa: load('tlsCa'), tlsCert: load('tlsCert'), tlsKey: load('tlsKey') });
    return createClientContext(tls, { showsCertificate: true });
  };
  let opened: HearthClient | undefined;
  const client = (): HearthClient => {
    if (opened) return opened;
    const url = toServerUrl(load('host'), { servesTls: servesTls() });
    opened = createClient(url, { key: readApiKey(url, { environment, onWarning }), createTlsContext });
    return opened;
  };
  let server: 'running' | 'started' | undefined;
  const connect = async (): Promise<HearthClient> => {
    // Only a server that this command has started may have ended since; another one is not replaced.
    if (server !== 'running') {
      const { ensureServer } = await import('../background/ensure-server.ts');
      const found = await ensureServer({
        client: client(),
        clock: systemClock,
        signal,
        command: [...hearth, 'serve'],
        servesTls: servesTls(),
        print: terminal.stderr.write,
      });
      server ??= found;
    }
    return client();
  };
  const context = { ...options, terminal, client, connect, clock: systemClock, signal, loadSetting: load, hearth };
  return { context, close: () => opened?.close() };
}
