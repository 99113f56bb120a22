// `hearth registry serve`: the registry server in this process.

import { join } from 'node:path';
import { count, oneOf, path, registryListenAddress, type SettingKind, size } from '../../base/config/kinds.ts';
import { loadSetting, processEnvironment } from '../../base/config/load-settings.ts';
import { type RegistryFlags, registryFlags, registryTlsSettings } from '../../base/config/registry-flags.ts';
import { HearthError } from '../../base/errors.ts';
import { createLogger } from '../../base/logger.ts';
import { systemClock } from '../../base/time/clock.ts';
import { type TlsPaths, toTlsPaths } from '../../base/tls/tls-files.ts';
import { type RegistryServerOptions, serveRegistry } from '../../models/registry-server/serve-registry.ts';
import { stopOnSignals } from './stop-on-signals.ts';

type Print = (text: string) => void;

/** Resolves when the registry listens. It runs until a signal ends the process. */
export async function runRegistry(flags: RegistryFlags, print: Print): Promise<void> {
  const write = (line: string): void => void process.stderr.write(line);
  const logger = createLogger({ clock: systemClock, level: 'info', write });
  const options = toRegistryServerOptions(flags);
  const tls = loadTlsPaths(flags);
  const registry = await serveRegistry({ ...options, ...(tls ? { tls } : {}), clock: systemClock, logger });
  stopOnSignals({ stop: registry.stop, clock: systemClock, logger });
  print(`Hearth registry is listening on ${registry.address}, serving ${options.folder}`);
  print(`Keys in ${options.keysFile} may push; \`hearth key\` prints the key of an installation.`);
}

/** The settings are those of `hearth serve`. */
function loadTlsPaths(flags: RegistryFlags): TlsPaths | undefined {
  const load = (key: keyof typeof registryTlsSettings): string => {
    const flag = flags[registryTlsSettings[key]];
    return loadSetting(key, { environment: processEnvironment, flags: flag === undefined ? {} : { [key]: flag } });
  };
  return toTlsPaths({ tlsCert: load('tlsCert'), tlsKey: load('tlsKey'), tlsClientCa: load('tlsClientCa') });
}

export function toRegistryServerOptions(flags: RegistryFlags): Omit<RegistryServerOptions, 'clock' | 'logger'> {
  const value = <T>(name: keyof RegistryFlags, kind: SettingKind<T>): T => {
    const text = flags[name] ?? registryFlags[name].default;
    const parsed = kind.parse(text);
    if (parsed === undefined) throw bad(`--${name} is ${JSON.stringify(text)}, but must be ${kind.expects}.`);
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
    ...(flags.url === undefined ? {} : { url: value('url', baseUrl) }),
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

function bad(message: string): HearthError {
  return new HearthError('bad_configuration', message);
}
