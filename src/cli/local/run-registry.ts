// `hearth library serve`: a library of a team's own. Flags as text, so that any command line can pass them on.

import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { oneOf, count, type SettingKind, path, size } from '../../base/config/kinds.ts';
import { type RegistryFlags, registryFlags } from '../../base/config/registry-flags.ts';
import { HearthError } from '../../base/errors.ts';
import { createLogger } from '../../base/logger.ts';
import { systemClock } from '../../base/time/clock.ts';
import { type RegistryServerOptions, serveRegistry } from '../../models/registry-server/serve-registry.ts';
import { stopOnSignals } from './stop-on-signals.ts';

type Say = (text: string) => void;

/** Resolves when the library listens; it goes on until a signal ends the process. */
export async function runRegistry(flags: RegistryFlags, say: Say): Promise<void> {
  const write = (line: string): void => void process.stderr.write(line);
  const logger = createLogger({ clock: systemClock, level: 'info', write });
  const options = toRegistryServerOptions(flags);
  const registry = await serveRegistry({ ...options, clock: systemClock, logger });
  stopOnSignals({ stop: registry.stop, clock: systemClock, logger });
  const keys = `Keys that may push are in ${options.keysFile}; \`hearth key\` prints one's own.`;
  say(`Hearth library is listening on ${registry.address}, with the models in ${options.folder}\n${keys}`);
}

export function toRegistryServerOptions(flags: RegistryFlags): Omit<RegistryServerOptions, 'clock' | 'logger'> {
  const value = <T>(name: keyof RegistryFlags, kind: SettingKind<T>): T => {
    const text = flags[name] ?? registryFlags[name].default;
    const parsed = kind.parse(text);
    if (parsed === undefined) throw bad(`--${name} is ${JSON.stringify(text)}, but must be ${kind.expects}.`);
    return parsed;
  };
  const folder = value('folder', path);
  return {
    folder,
    host: value('host', host),
    port: value('port', port),
    pull: value('pull', oneOf('open', 'keyed')),
    keysFile: flags.keys === undefined ? join(folder, 'authorized_keys') : value('keys', path),
    maxUploadBytes: value('max-upload', size),
    ...(flags.url === undefined ? {} : { url: value('url', baseUrl) }),
  };
}

const host: SettingKind<string> = {
  name: 'host',
  expects: 'a name or an address without a port, which --port has',
  parse: (text) => (/^[\w.-]+$/.test(text) || isIPv6(text) ? text : undefined),
};

const port: SettingKind<number> = {
  ...count,
  expects: 'a port, 0 to 65535',
  parse: (text) => {
    const number = count.parse(text);
    return number === undefined || number > 65535 ? undefined : number;
  },
};

/** Paths of the protocol begin at the root. */
const baseUrl: SettingKind<string> = {
  name: 'url',
  expects: 'an address such as https://models.example, without a path',
  parse: (text) => (/^https?:\/\/(\[[0-9a-fA-F:.]+\]|[\w.-]+)(:\d{1,5})?\/?$/.test(text) ? text : undefined),
};

function bad(message: string): HearthError {
  return new HearthError('bad_configuration', message);
}
