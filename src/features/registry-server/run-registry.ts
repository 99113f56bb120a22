// `hearth registry serve`: the registry server in this process.

import { join } from 'node:path';
import { processEnvironment } from '../../base/config/environment.ts';
import { count, oneOf, path, registryListenAddress, type SettingKind, size } from '../../base/config/kinds.ts';
import { badConfiguration } from '../../base/errors.ts';
import { createLogger } from '../../base/logger.ts';
import { systemClock } from '../../base/time/clock.ts';
import { type TlsPaths, toTlsPaths } from '../../base/tls/tls-files.ts';
import { stopOnSignals } from '../../cli/serve/stop-on-signals.ts';
import type { Terminal } from '../../cli/terminal.ts';
import { loadSetting } from '../../settings/load-settings.ts';
import { type RegistryFlags, registryFlags, registryTlsSettings } from './registry-flags.ts';
import { type RegistryServerOptions, serveRegistry } from './serve-registry.ts';

/** Resolves when the registry listens. It runs until a signal ends the process. */
export async function runRegistry(flags: RegistryFlags, { stdout, stderr }: Terminal): Promise<void> {
  const logger = createLogger({ clock: systemClock, level: 'info', write: stderr.write });
  const options = toRegistryServerOptions(flags);
  const registry = await serveRegistry({ ...options, tls: loadTlsPaths(flags), clock: systemClock, logger });
  stopOnSignals({ stop: registry.stop, clock: systemClock, logger });
  stdout.write(`Hearth registry is listening on ${registry.address}, serving ${options.folder}
Keys in ${options.keysFile} may push; \`hearth public-key\` prints the key of an installation.
`);
}

/** The settings are those of `hearth serve`. */
function loadTlsPaths(flags: RegistryFlags): TlsPaths | undefined {
  const load = (key: keyof typeof registryTlsSettings): string => {
    const flag = flags[registryTlsSettings[key]];
    return loadSetting(key, { environment: processEnvironment, flags: { [key]: flag } });
  };
  return toTlsPaths({ tlsCert: load('tlsCert'), tlsKey: load('tlsKey'), tlsClientCa: load('tlsClientCa') });
}

export function toRegistryServerOptions(flags: RegistryFlags): Omit<RegistryServerOptions, 'clock' | 'logger'> {
  const value = <T>(name: keyof RegistryFlags, kind: SettingKind<T>): T => {
    const text = flags[name] ?? registryFlags[name].default;
    const parsed = kind.parse(text);
    if (parsed === undefined)
      throw badConfiguration(`--${name} is ${JSON.stringify(text)}, but must be ${kind.expects}.`);
    return parsed;
  };
  const folder = value('folder', path);
  const { host, port: addressPort } = value('host', registryListenAddress);
  return {
    folder,
    host,
    port: flags.port === undefined ? addressPort : value('port', port),
    pull: value('pull', oneOf('open', 'keyed')),
    keysFile: flags.keys === undefined ? join(folder, 'authorized_keys') : value('keys', path),
    maxUploadBytes: value('max-upload', size),
    url: flags.url === undefined ? undefined : value('url', baseUrl),
  };
}

const port: SettingKind<number> = {
  ...count,
  expects: 'a port from 0 to 65535',
  parse: (text) => {
    const number = count.parse(text);
    return number === undefined || number > 65535 ? undefined : number;
  },
};

/** The registry protocol requires paths at the root. */
const baseUrl: SettingKind<string> = {
  name: 'url',
  expects: 'a URL such as https://models.example, without a path',
  parse: (text) => (/^https?:\/\/(\[[0-9a-fA-F:.]+\]|[\w.-]+)(:\d{1,5})?\/?$/.test(text) ? text : undefined),
};
